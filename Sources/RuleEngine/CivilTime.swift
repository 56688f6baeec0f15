import Bytes

/// A day or an instant as ISO 8601 writes it, in the proleptic Gregorian calendar.
struct CivilTime: Equatable {
  var year: Int
  var month: Int
  var day: Int
  /// Seconds since the start of 1970 in UTC, for an instant; nothing for a day.
  var instant: Double?

  /// Seconds from 1970 to the start of 2001, from which Core Data and property lists count.
  static let appleEpoch = 978_307_200.0

  /// The Julian day at the start of 1970: Julian days start at noon.
  static let julianEpoch = 2_440_587.5

  /// `1984-03-17`, `1984-03-17T08:30:00Z`, `…T08:30:00.250+08:00`.
  init?(iso text: String) {
    let characters = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= characters.count else { return nil }
      let digits = characters[range]
      guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
      return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    guard characters.count >= 10, characters[4] == UInt8(ascii: "-"),
      characters[7] == UInt8(ascii: "-"), let year = number(0..<4), let month = number(5..<7),
      let day = number(8..<10), (1...12).contains(month),
      (1...Self.days(in: month, of: year)).contains(day)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    guard characters.count > 10 else { return }
    guard let seconds = Self.secondsOfDay(text.dropFirst(10)) else { return nil }
    instant = Double(dayNumber) * 86_400 + seconds
  }

  init(dayNumber: Int) {
    // Days to civil date: eras of 400 years counted from 0000-03-01.
    let shifted = dayNumber + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01.
  var dayNumber: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2:
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Seconds after midnight UTC of `T08:30:00.5+08:00`; without an offset it is UTC.
  private static func secondsOfDay(_ text: Substring) -> Double? {
    guard let mark = text.first, mark == "T" || mark == " " else { return nil }
    var time = text.dropFirst()
    var offset = 0
    if time.hasSuffix("Z") {
      time = time.dropLast()
    } else if let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      let parts = time[time.index(after: sign)...].split(separator: ":").map { Int($0) }
      guard let hours = parts.first ?? nil, parts.count <= 2 else { return nil }
      let minutes = parts.count == 2 ? parts[1] ?? 0 : 0
      offset = (hours * 60 + minutes) * (time[sign] == "-" ? -60 : 60)
      time = time[..<sign]
    }
    let parts = time.split(separator: ":")
    guard (2...3).contains(parts.count), let hour = Int(parts[0]), let minute = Int(parts[1]),
      let second = parts.count == 3 ? Double(parts[2]) : 0,
      (0..<24).contains(hour), (0..<60).contains(minute), (0..<61).contains(second)
    else { return nil }
    return Double(hour * 3_600 + minute * 60 - offset) + second
  }
}
