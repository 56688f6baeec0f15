import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

@Suite struct `Statements of files` {
  private func facts(_ name: String, _ text: String) -> StatementSink {
    StatementSink.reading(Array(text.utf8), name: name)
  }

  private func plist(_ content: String) -> String {
    "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(content)</dict></plist>"
  }

  @Test func `an Info.plist states its keys by path, with the kind of bundle`() throws {
    let sink = facts(
      "Payload/Tidal.app/Info.plist",
      plist(
        """
        <key>CFBundlePackageType</key><string>APPL</string>
        <key>UIFileSharingEnabled</key><true/>
        <key>UIBackgroundModes</key><array><string>location</string><string>audio</string></array>
        <key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>
          <key>old.example.org</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
        </dict></dict>
        """))
    #expect(sink[.property, "UIFileSharingEnabled"]?["value"] == ["true"])
    #expect(sink[.property, "UIFileSharingEnabled"]?["bundle-type"] == ["APPL"])
    #expect(sink[.property, "UIBackgroundModes"]?["value"] == ["location", "audio"])
    let name =
      "NSAppTransportSecurity.NSExceptionDomains.old.example.org"
      + ".NSExceptionAllowsInsecureHTTPLoads"
    #expect(sink[.property, name]?["inside"] == ["old.example.org"])
    #expect(
      sink.facts.first { $0.name == name }?.place.context.key?.hasPrefix("NSException") == true)
  }

  @Test func `a binary list states the same as one in XML`() {
    var list = PropertyListBuilder()
    let yes = list.add([9])
    let identifier = list.string("org.example.tidal")
    let top = list.dictionary([("CFBundleIdentifier", identifier), ("UIFileSharingEnabled", yes)])
    let sink = StatementSink.reading(list.file(top: top), name: "Info.plist")
    #expect(sink[.property, "UIFileSharingEnabled"]?["value"] == ["true"])
  }

  @Test func `build settings state the keys of Info.plist that they stand for`() throws {
    let sink = facts(
      "App.xcodeproj/project.pbxproj",
      """
      // !$*UTF8*$!
      buildSettings = {
        INFOPLIST_KEY_NSCameraUsageDescription = "Scans \\"codes\\" on your card";
        INFOPLIST_KEY_UIFileSharingEnabled = YES;
        "INFOPLIST_KEY_NSFaceIDUsageDescription[sdk=iphoneos*]" = "Opens your diary";
        PRODUCT_NAME = Tidal;
      };
      other = {
        INFOPLIST_KEY_UIFileSharingEnabled = YES;
      };
      """)
    #expect(
      sink[.property, "NSCameraUsageDescription"]?["value"] == ["Scans \"codes\" on your card"])
    #expect(sink[.property, "NSFaceIDUsageDescription"]?["value"] == ["Opens your diary"])
    let shared = sink.facts.filter { $0.name == "UIFileSharingEnabled" }
    #expect(shared.count == 1)
    #expect(shared.first?.values["value"] == ["YES"])
    #expect(shared.first?.place.line == 4)
    #expect(sink.facts.count == 3)
    let settings = facts("App.xcconfig", "INFOPLIST_KEY_NSCameraUsageDescription = For cards\n")
    #expect(settings[.property, "NSCameraUsageDescription"]?["value"] == ["For cards"])
    #expect(settings[.property, "NSCameraUsageDescription"]?["from"] == ["Info.plist"])
  }

  @Test(arguments: [
    "INFOPLIST_KEY_", "INFOPLIST_KEY_A", "INFOPLIST_KEY_A[", "INFOPLIST_KEY_A[sdk=*]",
    "  \"INFOPLIST_KEY_A\"", "INFOPLIST_KEY_ = x", "",
  ])
  func `a build setting that is cut off states nothing`(line: String) {
    #expect(facts("App.xcconfig", line).facts.isEmpty)
  }

  @Test func `other lists state nothing but their settings`() {
    let settings = facts("settings.plist", plist("<key>theme</key><string>dark</string>")).facts
    #expect(settings.map(\.subject) == [.record])
    #expect(facts("Info.plist.txt", "CFBundleIdentifier").facts.isEmpty)
  }

  @Test func `entitlements and privacy manifests are told by name and keys`() {
    let entitlements = facts(
      "Tidal.entitlements", plist("<key>aps-environment</key><string>development</string>"))
    #expect(entitlements[.entitlement, "aps-environment"]?["from"] == ["file"])
    let extracted = facts("entitlements.plist", plist("<key>get-task-allow</key><true/>"))
    #expect(extracted[.entitlement, "get-task-allow"]?["value"] == ["true"])
    let privacy = facts(
      "PrivacyInfo.xcprivacy",
      plist(
        """
        <key>NSPrivacyTracking</key><false/>
        <key>NSPrivacyAccessedAPITypes</key><array><dict>
          <key>NSPrivacyAccessedAPIType</key><string>NSPrivacyAccessedAPICategoryUserDefaults</string>
          <key>NSPrivacyAccessedAPITypeReasons</key><array><string>CA92.1</string></array>
        </dict></array>
        """))
    #expect(
      privacy[.privacy, "accessed-api"]
        == [
          "category": ["NSPrivacyAccessedAPICategoryUserDefaults"], "reason": ["CA92.1"],
        ])
    #expect(privacy[.privacy, "manifest"]?["tracking"] == ["false"])
  }

  @Test(arguments: [
    (
      "<key>ProvisionedDevices</key><array><string>00008</string><string>9</string></array>", true,
      "development"
    ),
    (
      "<key>ProvisionedDevices</key><array><string>00008</string><string>9</string></array>", false,
      "ad-hoc"
    ),
    ("<key>ProvisionsAllDevices</key><true/>", false, "enterprise"), ("", false, "app-store"),
  ])
  func `a profile states what it allows and counts its devices`(
    devices: String, isDebuggable: Bool, distribution: String
  ) throws {
    let list = plist(
      """
      <key>TeamIdentifier</key><array><string>A1B2C3D4E5</string></array>\(devices)
      <key>Entitlements</key><dict><key>get-task-allow</key><\(isDebuggable)/>
      <key>keychain-access-groups</key><array><string>A1B2C3D4E5.*</string></array></dict>
      """)
    let bytes = DERBuilder.signedData(
      Array(list.utf8), certificates: [DERBuilder.certificate(subject: "Somebody")])
    let sink = StatementSink.reading(bytes, name: "embedded.mobileprovision")
    #expect(sink[.profile, "distribution"]?["value"] == [distribution])
    #expect(sink[.profile, "Entitlements.keychain-access-groups"]?["value"] == ["A1B2C3D4E5.*"])
    #expect(
      sink[.profile, "ProvisionedDevices"]?["count"]
        == (devices.contains("Devices</key><array>") ? ["2"] : nil))
    #expect(!sink.facts.contains { $0.values.values.contains { $0.contains("00008") } })
    // The list inside is searched like a file of its own, where it lies.
    let content = try #require(sink.fragments.first { $0.name == "content" })
    let range = try #require(content.place.origin.ranges(of: 0..<5).first)
    #expect(Array(bytes[range.offset..<range.end]) == Array("<?xml".utf8))
  }

  @Test func `text fields of interface files state how the keyboard treats them`() {
    let sink = facts(
      "Login.storyboard",
      """
      <?xml version="1.0"?><document type="com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB">
      <textField placeholder="Password &amp; PIN" id="a-1"><rect key="frame" x="0"/>
        <textInputTraits key="textInputTraits" autocorrectionType="no" secureTextEntry="YES"/>
      </textField>
      <textField placeholder="Birthday" id="b-2"/>
      </document>
      """)
    let fields = sink.facts.filter { $0.name == "textInputTraits" }
    #expect(fields.map { $0.values["placeholder"] } == [["Password & PIN"], ["Birthday"]])
    #expect(fields.first?.values["secureTextEntry"] == ["YES"])
    #expect(fields.last?.values["secureTextEntry"] == nil)
    #expect(fields.map(\.place.line) == [2, 5])
  }

  @Test func `pinned packages of every version of the file are dependencies`() throws {
    let first = facts(
      "Package.resolved",
      #"""
      {"object": {"pins": [{"package": "Alamofire",
        "repositoryURL": "git@github.com:Alamofire/Alamofire.git",
        "state": {"branch": null, "revision": "0123456789012345678901234567890123456789", "version": "5.4.3"}
      }]}, "version": 1}
      """#)
    #expect(
      try #require(first[.dependency, "Alamofire"])["purl"]
        == ["pkg:swift/github.com/Alamofire/Alamofire@5.4.3"])
    let third = facts(
      "Package.resolved",
      #"""
      {"originHash": "ab", "pins": [{"identity": "swift-nio", "kind": "remoteSourceControl",
        "location": "https://github.com/apple/swift-nio.git",
        "state": {"revision": "0123456789012345678901234567890123456789", "version": "2.62.0"}},
       {"identity": "fork", "location": "https://GitLab.example/a/fork",
        "state": {"branch": "main", "revision": "89"}}], "version": 3}
      """#)
    #expect(
      third[.dependency, "swift-nio"]?["purl"] == ["pkg:swift/github.com/apple/swift-nio@2.62.0"])
    #expect(third[.dependency, "fork"]?["purl"] == ["pkg:swift/gitlab.example/a/fork@89"])
    #expect(third.facts.last?.place.line == 4)
    #expect(facts("Package.resolved", #"{"pins": [], "version": 9}"#).codes == [.formatUnsupported])
  }

  @Test func `pods and Carthage's frameworks are dependencies`() {
    let pods = facts(
      "Podfile.lock",
      """
      PODS:
        - Alamofire (5.4.3)
        - "GoogleUtilities/NSData+zlib (7.5.2)":
          - GoogleUtilities/Core (~> 7.5)

      DEPENDENCIES:
        - Alamofire (~> 5.4)

      SPEC CHECKSUMS:
        Alamofire: 0123456789abcdef
        GoogleUtilities: fedcba

      COCOAPODS: 1.11.2
      """)
    #expect(pods.names(.dependency) == ["Alamofire", "GoogleUtilities/NSData+zlib"])
    #expect(pods[.dependency, "Alamofire"]?["checksum"] == ["sha1:0123456789abcdef"])
    #expect(
      pods[.dependency, "GoogleUtilities/NSData+zlib"]?["purl"]
        == ["pkg:cocoapods/GoogleUtilities@7.5.2#NSData%2Bzlib"])
    let carthage = facts(
      "Cartfile.resolved",
      """
      github "ReactiveX/RxSwift" "6.5.0"
      git "https://git.example.org/team/thing.git" "0123456789012345678901234567890123456789"
      """)
    #expect(carthage.names(.dependency) == ["RxSwift", "thing"])
    #expect(carthage[.dependency, "RxSwift"]?["purl"] == ["pkg:github/reactivex/rxswift@6.5.0"])
    #expect(carthage[.dependency, "thing"]?["version"] == nil)
  }

  @Test func `a licence text is told by its sentences`() {
    let mit = facts(
      "LICENSE",
      """
      Permission is hereby granted, free of charge, to any person
      obtaining a copy of this software
      """)
    #expect(mit[.dependency, "licence"]?["licence"] == ["MIT"])
    #expect(facts("LICENSE.md", "All rights reserved.").facts.isEmpty)
  }
}
