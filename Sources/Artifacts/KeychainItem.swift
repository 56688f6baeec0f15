import Findings

/// An item of a keychain, whatever it was read from, as a fact that rules decide on.
struct KeychainItem {
  var itemClass = ""
  var service: String?
  var account: String?
  var label: String?
  var group: String?
  /// How it is protected, in the words of SecItem.h.
  var accessible: String?
  var isSynced: Bool?
  /// Id of the token that keeps it: the Secure Enclave's is `com.apple.setoken`.
  var token: String?
  var hasAccessControl: Bool?
  /// SHA-1 of service and account, in hexadecimal, where the database has only that.
  var serviceHash: String?
  var accountHash: String?
  var isDeleted = false
  /// What it was read from: `database` or `dump`.
  var source: String

  init(source: String) {
    self.source = source
  }

  /// The name of a fact: the plainest there is.
  var name: String {
    for text in [service, label, account] {
      if let text, !text.isEmpty { return text }
    }
    return itemClass.isEmpty ? "item" : itemClass
  }

  func fact(at place: Place) -> Fact {
    var values = ["source": [source], "class": [itemClass]]
    values["service"] = service.map { [$0] }
    values["account"] = account.map { [$0] }
    values["label"] = label.map { [$0] }
    values["group"] = group.map { [$0] }
    values["accessible"] = accessible.map { [$0] }
    values["synced"] = isSynced.map { [ModelFacts.text($0)] }
    values["token"] = token.map { [$0] }
    values["access-control"] = hasAccessControl.map { [ModelFacts.text($0)] }
    values["service-hash"] = serviceHash.map { [$0] }
    values["account-hash"] = accountHash.map { [$0] }
    if isDeleted { values["deleted"] = ["true"] }
    return Fact(.keychainItem, name, values: values, at: place)
  }

  /// `pdmn` of the database in the words of SecItem.h (Security, SecItemConstants.c).
  static func accessible(_ domain: String) -> String? {
    switch domain {
    case "ak": "kSecAttrAccessibleWhenUnlocked"
    case "ck": "kSecAttrAccessibleAfterFirstUnlock"
    case "dk": "kSecAttrAccessibleAlways"
    case "aku": "kSecAttrAccessibleWhenUnlockedThisDeviceOnly"
    case "cku": "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly"
    case "dku": "kSecAttrAccessibleAlwaysThisDeviceOnly"
    case "akpu": "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly"
    default: domain.hasPrefix("kSecAttrAccessible") ? domain : nil
    }
  }
}
