/// The app bundle of a made-up app as files by path: a signed program, its lists and its profile, with
/// what a test wants wrong about it.
package struct BundleFixture {
  /// Classes and functions the program imports.
  package var imports = [
    "_OBJC_CLASS_$_LAContext", "_OBJC_CLASS_$_NSUserDefaults", "_swift_release",
  ]
  /// Keys of Info.plist behind the usual ones, as XML.
  package var info = "<key>NSFaceIDUsageDescription</key><string>Unlocks your notes.</string>"
  /// Entitlements of the signature, as XML.
  package var entitlements = "<key>get-task-allow</key><false/>"
  /// Categories and reasons of the privacy manifest; no manifest where there is none.
  package var reasons: [(category: String, code: String)]? = [("UserDefaults", "CA92.1")]
  /// Whether the program is encrypted, as the store hands it out.
  package var isEncrypted = false
  /// A text that stands only in instructions.
  package var hiddenText = "harbour-light"
  /// Devices of the profile; none is a store profile.
  package var devices = 0

  package init() {}

  /// The files, below `Tidal.app`.
  package func files() -> [(path: String, bytes: [UInt8])] {
    var files: [(path: String, bytes: [UInt8])] = [
      ("Tidal.app/Tidal", program()),
      (
        "Tidal.app/Info.plist",
        Self.list(
          "<key>CFBundleIdentifier</key><string>org.example.tidal</string>"
            + "<key>CFBundlePackageType</key><string>APPL</string>" + info)
      ),
      ("Tidal.app/embedded.mobileprovision", profile()),
    ]
    if let reasons {
      let entries = reasons.map { category, code in
        "<dict><key>NSPrivacyAccessedAPIType</key>"
          + "<string>NSPrivacyAccessedAPICategory\(category)</string>"
          + "<key>NSPrivacyAccessedAPITypeReasons</key><array><string>\(code)</string></array></dict>"
      }
      files.append(
        (
          "Tidal.app/PrivacyInfo.xcprivacy",
          Self.list(
            "<key>NSPrivacyAccessedAPITypes</key><array>\(entries.joined())</array>")
        ))
    }
    return files
  }

  /// The same as an IPA.
  package func archive() -> [UInt8] {
    ZipBuilder(
      files().map { path, bytes in
        var entry = ZipBuilder.Entry("Payload/" + path, "")
        entry.content = bytes
        return entry
      }
    ).bytes()
  }

  private static func list(_ content: String) -> [UInt8] {
    Array("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(content)</dict></plist>".utf8)
  }

  private func profile() -> [UInt8] {
    let devices = (0..<devices).map { "<string>device-\($0)</string>" }.joined()
    let list = Self.list(
      "<key>TeamIdentifier</key><array><string>A1B2C3D4E5</string></array>"
        + (self.devices == 0 ? "" : "<key>ProvisionedDevices</key><array>\(devices)</array>")
        + "<key>Entitlements</key><dict><key>keychain-access-groups</key>"
        + "<array><string>A1B2C3D4E5.*</string></array></dict>")
    return DERBuilder.signedData(
      list, certificates: [DERBuilder.certificate(subject: "Apple Distribution: Example")])
  }

  private func program() -> [UInt8] {
    var builder = MachOBuilder()
    var code = ARM64Assembler()
    code.pass(hiddenText)
    builder.sections = [
      .init("__TEXT", "__text", code.bytes, flags: MachOBuilder.code),
      .init("__TEXT", "__cstring", Array("nothing to see\0".utf8)),
      .init("__TEXT", "__swift5_reflstr", Array("note\0".utf8)),
    ]
    builder.symbols = imports.map { .imported($0) }
    builder.symbols.append(
      .init("_unlock", type: 0x0F, section: 1, value: builder.address(of: "__text")))
    if isEncrypted { builder.encryption = 1 }
    var signer = CodeSignatureBuilder()
    signer.entitlements = String(decoding: Self.list(entitlements), as: UTF8.self)
    signer.cms = DERBuilder.signedData([])
    builder.signer = signer
    builder.symbols[builder.symbols.count - 1].value = builder.address(of: "__text")
    return builder.bytes()
  }
}
