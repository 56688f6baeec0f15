extension [UInt8] {
  /// Appends an integer, lowest byte first, as all of the vault's own files store it.
  package mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// The integer at `offset`; the caller has checked that it lies inside.
  package func littleEndian<Value: FixedWidthInteger>(
    at offset: Int, as type: Value.Type = Value.self
  ) -> Value {
    var value: Value = 0
    for index in (0..<MemoryLayout<Value>.size).reversed() {
      value = value << 8 | Value(truncatingIfNeeded: self[offset + index])
    }
    return value
  }
}
