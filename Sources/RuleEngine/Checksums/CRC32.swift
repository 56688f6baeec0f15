/// The check sum of gzip, PNG and several token formats (reflected polynomial 0xEDB88320), bit by bit:
/// tokens are short, and no table is worth having for them.
func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
  var remainder: UInt32 = ~0
  for byte in bytes {
    remainder ^= UInt32(byte)
    for _ in 0..<8 {
      remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1
    }
  }
  return ~remainder
}

/// CRC-16/XMODEM (polynomial 0x1021, start 0), which Stellar's keys end in.
func crc16XModem(_ bytes: some Sequence<UInt8>) -> UInt16 {
  var remainder: UInt16 = 0
  for byte in bytes {
    remainder ^= UInt16(byte) << 8
    for _ in 0..<8 {
      remainder = remainder & 0x8000 != 0 ? remainder << 1 ^ 0x1021 : remainder << 1
    }
  }
  return remainder
}
