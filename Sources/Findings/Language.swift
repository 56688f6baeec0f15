/// A language that reports and messages are written in.
package enum Language: String, CaseIterable, Sendable {
  case english = "en"
  case simplifiedChinese = "zh-Hans"

  /// The language of a locale as the environment names it: `zh_CN.UTF-8`, `zh_SG`, `en_GB`.
  /// Traditional Chinese is another language, which there is no catalogue for.
  package init(locale: String) {
    let name = locale.lowercased().prefix { $0 != "." && $0 != "@" }
    let isChinese = name == "zh" || name.hasPrefix("zh_") || name.hasPrefix("zh-")
    let isTraditional = ["tw", "hk", "mo", "hant"].contains { name.contains($0) }
    self = isChinese && !isTraditional ? .simplifiedChinese : .english
  }
}
