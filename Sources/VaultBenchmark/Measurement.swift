import Glibc

/// What was measured of one way to keep messages.
struct Measurement {
  var insertSeconds = 0.0
  var insertCPU = 0.0
  var page = Times()
  var rare = Times()
  var two = Times()
  var prefix = Times()
  var chinese = Times()
  var open = Times()
  /// The same with a second connection, which reads while the first one writes.
  var openWithReader = Times()
  var bytes = 0
  var rotateSeconds = 0.0

  /// Times of single calls, in milliseconds.
  struct Times {
    private(set) var values: [Double] = []
    /// Of the processor, on all threads: what other programs do meanwhile does not show in it.
    private(set) var work: [Double] = []
    var median: Double { rank(0.5) }
    var late: Double { rank(0.95) }
    var medianWork: Double { Times(values: work).median }

    init(values: [Double] = []) {
      self.values = values
    }

    /// A call that began then and has just ended.
    mutating func add(since start: Stopwatch.Reading) {
      let end = Stopwatch.Reading()
      values.append((end.wall - start.wall) * 1000)
      work.append((end.cpu - start.cpu) * 1000)
    }

    func rank(_ share: Double) -> Double {
      let sorted = values.sorted()
      guard !sorted.isEmpty else { return 0 }
      return sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }
  }
}

enum Stopwatch {
  /// Both clocks at one moment.
  struct Reading {
    let wall = Stopwatch.wall()
    let cpu = Stopwatch.cpu()
  }

  static func wall() -> Double { seconds(CLOCK_MONOTONIC) }
  static func cpu() -> Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
