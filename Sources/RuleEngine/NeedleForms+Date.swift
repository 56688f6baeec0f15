import Bytes

extension Needle {
  /// Offsets from UTC at which a local midnight may have been stored, in seconds: whole hours, and
  /// the half and quarter hours that countries use.
  private static let midnights: [Int] =
    (-12...14).map { $0 * 3_600 } + [
      -12_600, 12_600, 16_200, 19_800, 20_700, 23_400, 34_200, 37_800,
    ]

  /// The forms in which midnights other than UTC's are looked for: those that databases, property lists
  /// and programs use most. All forms of all midnights would be some thousand literals a needle.
  private static let usualForms: Set<String> = [
    "epoch-s", "epoch-ms", "epoch-s-int32-be", "epoch-s-int32-le", "epoch-ms-int48-be",
    "epoch-ms-int64-le", "real-2001-be", "real-2001-le", "2001-int32-be",
  ]

  /// The forms of a day (its layouts, and the instants of its midnights) or of an instant.
  func dateForms() throws(NeedleError) -> [NeedleForm] {
    guard let time = CivilTime(iso: value) else {
      throw NeedleError(
        id: id, problem: "needle \"\(id)\" is not an ISO 8601 day or instant",
        remedy: "write 1984-03-17 or 1984-03-17T08:30:00+08:00")
    }
    guard let instant = time.instant else {
      let start = Double(time.dayNumber) * 86_400
      let elsewhere = Self.midnights.filter { $0 != 0 }.flatMap { offset in
        instantForms(start - Double(offset)).filter { Self.usualForms.contains($0.name) }
      }
      return dayForms(time) + storedDays(time) + instantForms(start) + elsewhere
    }
    return instantTexts(instant) + instantForms(instant)
  }

  /// A day as one number: its Julian day as databases count it (SQLite date and time functions, §2), from
  /// midnight or from noon, and its digits.
  private func storedDays(_ time: CivilTime) -> [NeedleForm] {
    let julian = Double(time.dayNumber) + CivilTime.julianEpoch
    let digits = Int64(time.year * 10_000 + time.month * 100 + time.day)
    return realForms(julian, name: "real-julian")
      + integerForms(Int64(julian + 0.5), name: "julian-int").filter {
        $0.name.hasPrefix("julian-int")
      }
      + integerForms(digits, name: "date-int").filter { $0.name.hasPrefix("date-int") }
  }

  /// The layouts in which a day is written, and their encodings.
  private func dayForms(_ time: CivilTime) -> [NeedleForm] {
    let (year, month, day) = (time.year, time.month, time.day)
    let y = padded(year, 4)
    let m = padded(month, 2)
    let d = padded(day, 2)
    var layouts: [(String, String)] = [
      ("iso", "\(y)-\(m)-\(d)"), ("iso-basic", "\(y)\(m)\(d)"), ("ymd", "\(y)/\(m)/\(d)"),
      ("ymd", "\(y).\(m).\(d)"), ("ymd", "\(y)/\(month)/\(day)"), ("ymd", "\(y)-\(month)-\(day)"),
      ("dmy", "\(d).\(m).\(y)"), ("dmy", "\(d)/\(m)/\(y)"), ("dmy", "\(d)-\(m)-\(y)"),
      ("mdy", "\(m)/\(d)/\(y)"), ("mdy", "\(m)-\(d)-\(y)"), ("dmy", "\(day)/\(month)/\(y)"),
      ("mdy", "\(month)/\(day)/\(y)"), ("dmy", "\(day).\(month).\(y)"),
      ("dmy", "\(d)\(m)\(y)"), ("mdy", "\(m)\(d)\(y)"),
    ]
    let name = Self.months[month - 1]
    for short in [name, String(name.prefix(3))] {
      layouts += [
        ("named", "\(short) \(day), \(y)"), ("named", "\(day) \(short) \(y)"),
        ("named", "\(d)-\(short)-\(y)"), ("named", "\(short) \(d), \(y)"),
        ("named", "\(short) \(day) \(y)"), ("named", "\(d) \(short) \(y)"),
        ("named", "\(day). \(short) \(y)"),
      ]
    }
    var forms: [NeedleForm] = []
    for (name, text) in layouts {
      var form = plainNumber("date-\(name)", text)
      form.ignoresCase = true
      form.bits = 26
      forms.append(form)
    }
    for text in ["\(y)年\(month)月\(day)日", "\(y)年\(m)月\(d)日"] {
      forms.append(NeedleForm("date-zh", Array(text.utf8), boundary: .number, bits: 60))
      forms.append(
        NeedleForm(
          "date-zh-utf16le",
          text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] },
          bits: 60))
      if let bytes = Transcoder.encode(text, as: "GB18030") {
        forms.append(NeedleForm("date-zh-gb18030", bytes, boundary: .number, bits: 60))
      }
    }
    let iso = layouts[0].1
    let little: [UInt8] = iso.utf8.flatMap { [$0, 0] }
    let big: [UInt8] = iso.utf8.flatMap { [0, $0] }
    forms.append(NeedleForm("date-iso-utf16le", little, boundary: .number, bits: 26))
    forms.append(NeedleForm("date-iso-utf16be", big, boundary: .number, bits: 26))
    return forms + encodedForms(Array(iso.utf8))
  }

  /// The instant as text: ISO 8601 in UTC, the same in the local time of elsewhere, and as mail, the web
  /// and logs of servers write it.
  private func instantTexts(_ instant: Double) -> [NeedleForm] {
    let clock = WallClock(instant)
    var forms = [value, clock.iso("T"), clock.iso(" ")].flatMap { text in
      [NeedleForm("instant-iso", Array(text.utf8), bits: 40)]
        + encodedForms(Array(text.utf8))
    }
    func add(_ name: String, _ text: String) {
      forms.append(
        NeedleForm(name, Array(text.utf8), ignoresCase: true, boundary: .number, bits: 40))
    }
    for offset in Self.midnights {
      let local = WallClock(instant + Double(offset))
      if offset != 0 {
        add("instant-iso", local.iso("T"))
        add("instant-iso", local.iso(" "))
      }
      add("instant-basic", local.basic)
      // RFC 9110, §5.6.7; RFC 5322, §3.3, where a day below ten may stand alone; the logs of servers.
      add("instant-named", local.named(" ", before: " "))
      if local.day.day < 10 { add("instant-named", local.named(" ", before: " ", isPadded: false)) }
      add("instant-named", local.named("/", before: ":"))
    }
    return forms
  }

  /// Date and time as a clock shows them.
  private struct WallClock {
    let day: CivilTime
    private let second: Int

    init(_ instant: Double) {
      let whole = Int(instant.rounded(.down))
      day = CivilTime(dayNumber: whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400)
      second = whole - day.dayNumber * 86_400
    }

    private var date: [String] {
      [padded(day.year, 4), padded(day.month, 2), padded(day.day, 2)]
    }
    private var time: [String] {
      [second / 3_600, second / 60 % 60, second % 60].map { padded($0, 2) }
    }

    func iso(_ mark: String) -> String {
      date.joined(separator: "-") + mark + time.joined(separator: ":")
    }
    var basic: String { date.joined() + "T" + time.joined() }

    func named(_ separator: String, before mark: String, isPadded: Bool = true) -> String {
      let month = String(Needle.months[day.month - 1].prefix(3))
      let number = isPadded ? padded(day.day, 2) : String(day.day)
      return [number, month, padded(day.year, 4)].joined(separator: separator) + mark
        + time.joined(separator: ":")
    }
  }

  /// Counts of seconds, milliseconds and microseconds since 1970, and of seconds since 2001 (Core
  /// Data, NSDate, property lists), as digits and in binary.
  private func instantForms(_ instant: Double) -> [NeedleForm] {
    var forms: [NeedleForm] = []
    for (unit, factor) in [("s", 1.0), ("ms", 1_000.0), ("us", 1_000_000.0)] {
      guard let count = Int64(exactly: (instant * factor).rounded()) else { continue }
      if abs(count) >= 10_000_000 { forms.append(plainNumber("epoch-\(unit)", String(count))) }
      forms += integerForms(count, name: "epoch-\(unit)-int").map { form in
        var form = form
        if form.name.hasPrefix("real") { form.name = "epoch-\(unit)-\(form.name)" }
        return form
      }
    }
    let apple = instant - CivilTime.appleEpoch
    forms += realForms(apple, name: "real-2001")
    // SQLite stores a whole REAL of a numeric column as an integer (SQLite file format §2.1).
    if let whole = Int64(exactly: apple) {
      forms += integerForms(whole, name: "2001-int").filter { $0.name.hasPrefix("2001-int") }
    }
    if let whole = Int64(exactly: apple), abs(whole) >= 10_000_000 {
      forms.append(plainNumber("2001-s", String(whole)))
    }
    return forms
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October",
    "November", "December",
  ]

}

/// The digits of a number with zeros before them.
private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
