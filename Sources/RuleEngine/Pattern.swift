import Bytes
import CPCRE2

/// A compiled regular expression (PCRE2, just-in-time compiled, with bounds on backtracking).
///
/// One value belongs to one task: it holds the memory a match is written to.
package final class Pattern {
  /// Beyond this many internal steps a match is given up, so that no input can hang a scan.
  static let matchLimit: UInt32 = 200_000

  /// The library that judges around a hit, with its version.
  package static var library: String {
    let size = Int(pcre2_config_8(UInt32(PCRE2_CONFIG_VERSION), nil))
    guard size > 0 else { return "pcre2" }
    var text = [UInt8](repeating: 0, count: size)
    pcre2_config_8(UInt32(PCRE2_CONFIG_VERSION), &text)
    return "pcre2 " + String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }

  private let code: OpaquePointer
  private let data: OpaquePointer
  private let context: OpaquePointer
  private let secretGroup: Int

  /// A pattern is not a regular expression: where, and what PCRE2 says of it.
  struct SyntaxError: Error, Equatable {
    var offset: Int
    var problem: String
  }

  init(_ pattern: String, ignoresCase: Bool) throws(SyntaxError) {
    var errorNumber: Int32 = 0
    var offset = 0
    var options = PCRE2_USE_OFFSET_LIMIT | PCRE2_NEVER_UTF | PCRE2_DOLLAR_ENDONLY
    if ignoresCase { options |= PCRE2_CASELESS }
    var pattern = pattern
    let compiled = pattern.withUTF8 { text in
      pcre2_compile_8(text.baseAddress, text.count, options, &errorNumber, &offset, nil)
    }
    guard let compiled, let context = pcre2_match_context_create_8(nil),
      let data = pcre2_match_data_create_from_pattern_8(compiled, nil)
    else {
      throw SyntaxError(offset: offset, problem: Self.message(errorNumber))
    }
    pcre2_jit_compile_8(compiled, PCRE2_JIT_COMPLETE)
    pcre2_set_match_limit_8(context, Self.matchLimit)
    pcre2_set_depth_limit_8(context, 10_000)
    self.code = compiled
    self.data = data
    self.context = context
    let named = "secret".withCString { name in
      name.withMemoryRebound(to: UInt8.self, capacity: 7) {
        pcre2_substring_number_from_name_8(compiled, $0)
      }
    }
    var groups: UInt32 = 0
    pcre2_pattern_info_8(compiled, UInt32(PCRE2_INFO_CAPTURECOUNT), &groups)
    secretGroup = named > 0 ? Int(named) : groups > 0 ? 1 : 0
  }

  deinit {
    pcre2_match_data_free_8(data)
    pcre2_match_context_free_8(context)
    pcre2_code_free_8(code)
  }

  /// What a search ended with.
  enum Outcome: Equatable {
    /// The whole match and the part of it that is the secret.
    case match(whole: Range<Int>, secret: Range<Int>)
    case none
    /// The bound on backtracking was reached: nobody knows.
    case limit
  }

  /// Whether it matches anywhere; a search that was given up is taken for a match.
  func isIn(_ text: RawSpan) -> Bool {
    if case .none = firstMatch(in: text, startingIn: 0...text.byteCount) { return false }
    return true
  }

  /// The first match that starts in `starts`; the whole span may be looked at.
  func firstMatch(in bytes: RawSpan, startingIn starts: ClosedRange<Int>) -> Outcome {
    pcre2_set_offset_limit_8(context, starts.upperBound)
    let result = bytes.withUnsafeBytes { buffer in
      pcre2_match_8(
        code, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count,
        starts.lowerBound, 0, data, context)
    }
    switch result {
    case PCRE2_ERROR_NOMATCH: return .none
    case 1...: break
    default: return .limit
    }
    let offsets = pcre2_get_ovector_pointer_8(data)
    guard let offsets, offsets[0] <= offsets[1] else { return .none }
    let whole = offsets[0]..<offsets[1]
    guard Int32(secretGroup) < result, offsets[2 * secretGroup] != Int.max,
      offsets[2 * secretGroup] <= offsets[2 * secretGroup + 1]
    else { return .match(whole: whole, secret: whole) }
    return .match(
      whole: whole, secret: offsets[2 * secretGroup]..<offsets[2 * secretGroup + 1])
  }

  private static func message(_ number: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let length = pcre2_get_error_message_8(number, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, Int(length))), as: UTF8.self)
  }
}
