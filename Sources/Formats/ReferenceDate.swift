/// A moment as Apple's property lists and stores count it: seconds since 1 January 2001, UTC.
package struct ReferenceDate: Equatable, Sendable {
  package var seconds: Double

  package init(seconds: Double) {
    self.seconds = seconds
  }

  /// `2024-02-29T12:30:00Z`, the one layout of XML property lists.
  init?(parsing text: String) {
    let fields = text.split { "-T:Z".contains($0) }.map { Int($0) }
    guard text.utf8.count >= 19, fields.count == 6, let year = fields[0], let month = fields[1],
      let day = fields[2], let hour = fields[3], let minute = fields[4], let second = fields[5],
      (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0...24).contains(hour), (0...60).contains(minute), (0...60).contains(second)
    else { return nil }
    let days = Self.days(year: year, month: month, day: day)
    seconds = Double(days * 86_400 + hour * 3600 + minute * 60 + second)
  }

  /// ISO 8601 with seconds, or nothing for what is no date of the years 1 to 9999.
  package var text: String? {
    guard seconds.isFinite, abs(seconds) < 3e11 else { return nil }
    let whole = Int(seconds.rounded(.down))
    let day = Int((Double(whole) / 86_400).rounded(.down))
    let rest = whole - day * 86_400
    let (year, month, dayOfMonth) = Self.calendarDay(day)
    guard (1...9999).contains(year) else { return nil }
    return Self.padded(year, 4) + "-" + Self.padded(month) + "-" + Self.padded(dayOfMonth) + "T"
      + Self.padded(rest / 3600) + ":" + Self.padded(rest / 60 % 60) + ":" + Self.padded(rest % 60)
      + "Z"
  }

  private static func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }

  /// Days from 1 January 2001, by the proleptic Gregorian calendar whose years start in March.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 730_791
  }

  private static func calendarDay(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 730_791
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1
    )
  }
}
