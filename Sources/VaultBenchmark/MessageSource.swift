import SecretBytes
import VaultKeys

/// Messages of about 200 bytes, the same in each run: words by frequency, every tenth one Chinese.
struct MessageSource {
  private var state: UInt64 = 42
  private let words: [String]

  static let chinese = [
    "你好世界", "今天天气很好", "我们明天见面吧", "这个消息很重要", "请尽快回复", "晚上一起吃饭",
    "项目进展顺利", "数据已经加密",
  ]

  init() {
    words = (0..<20_000).map { number in
      var letters = ""
      var rest = number * 7919 + 17
      for _ in 0..<(4 + number % 6) {
        letters.unicodeScalars.append(Unicode.Scalar(UInt8(97 + rest % 26)))
        rest = rest / 26 + number * 31
      }
      return letters
    }
  }

  mutating func number(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  /// The text of message `number`; a few hold the word that the search for rare ones looks for.
  mutating func text(_ number: Int) -> String {
    var text = number % 20_000 == 7 ? "quizzaciously " : ""
    if number % 10 == 3 {
      for _ in 0..<6 { text += Self.chinese[self.number(below: Self.chinese.count)] }
    }
    while text.utf8.count < 190 {
      // Low numbers come up often, as in a language.
      let limit = 1 + self.number(below: words.count)
      text += words[self.number(below: limit)] + " "
    }
    return text
  }

  /// Two words that many messages hold.
  var common: (String, String) { (words[0], words[1]) }

  static let conversationCount = 1000

  /// A tenth of all is in one conversation.
  mutating func conversation(_ number: Int) -> Int {
    number % 10 == 0 ? 0 : 1 + self.number(below: Self.conversationCount - 1)
  }
}
