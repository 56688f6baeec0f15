import Bytes
import Formats

extension InspectedFile {
  /// The programs of a Mach-O file: what kind each is, and its load commands.
  func machOSections() -> [Inspection.Section] {
    let images = (try? MachOFile.images(of: source)) ?? []
    return images.map { image in
      let suffix = images.count > 1 ? " of \(image.processor)" : ""
      let key = images.count > 1 ? "commands-\(image.processor)" : "commands"
      var section = Inspection.Section(key, "Load commands" + suffix)
      Self.addFacts(of: image, to: &section)
      var table = Inspection.Table(
        .init("name", "command"), .init("offset", "offset", isNumber: true),
        .init("size", "size", isNumber: true), .init("text", "names"))
      for command in image.commands {
        table.rows.append([
          .text(command.name), .number(command.range.lowerBound), .size(command.range.count),
          .init(command.text),
        ])
      }
      table.shown = 60
      section.table = table
      if image.isDamaged { section.remarks.append("the load commands end too early") }
      return section
    }
  }

  private static func addFacts(of image: MachOImage, to section: inout Inspection.Section) {
    section.add("processor", "processor", .text(image.processor))
    section.add("type", "type", .word(types[image.fileType] ?? "type \(image.fileType)"))
    section.add("pie", "any address", .flag(image.isPositionIndependent))
    if let build = image.build {
      section.add("platform", "platform", .text(build.platform))
      section.add("minimum", "oldest system", .text(build.minimum))
      section.add("sdk", "SDK", .text(build.sdk))
    }
    section.add("encrypted", "encrypted", .flag(image.encrypted != nil))
    section.add("signed", "signature", .flag(image.signature != nil))
    section.add("libraries", "libraries", .number(image.libraries.count))
  }

  private static let types: [UInt32: String] = [
    1: "object", 2: "program", 4: "core dump", 6: "library", 7: "dynamic linker", 8: "bundle",
    9: "library stub", 10: "debug symbols", 11: "kernel extension", 12: "set of programs",
  ]
}
