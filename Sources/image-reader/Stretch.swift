/// Where some units of an image lie, in bytes. What an image says of itself may be anything: what no image
/// has room for is nowhere.
func stretch(from first: UInt64, count: UInt64, unit: UInt64, base: UInt64 = 0) -> Range<UInt64>? {
  let (start, isFar) = first.multipliedReportingOverflow(by: unit)
  let (length, isLong) = count.multipliedReportingOverflow(by: unit)
  let (lower, isOutside) = base.addingReportingOverflow(start)
  let (upper, isBeyond) = lower.addingReportingOverflow(length)
  guard !isFar, !isLong, !isOutside, !isBeyond, upper <= UInt64(Int64.max) else { return nil }
  return lower..<upper
}
