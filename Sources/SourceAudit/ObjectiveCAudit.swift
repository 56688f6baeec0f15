import Findings

/// The audit of Objective-C: a lexer and a reader of expressions that knows messages, calls, literals
/// and dictionaries; it states the same facts as the audit of Swift.
package enum ObjectiveCAudit {
  /// The facts of a source file that `filter` asks for.
  package static func audit(
    _ input: AuditInput, filter: @escaping FactFilter
  ) -> AuditedSource {
    var result = AuditedSource()
    let bytes = input.bytes
    let file = SourceFile(bytes, name: input.name, path: input.path)
    let lexer = ObjectiveCLexer(bytes)
    var reader = ObjectiveCReader(
      lexer.tokens,
      FactMaker(language: "objc", file: file, isSensitive: input.isSensitive, filter: filter))
    for name in input.logFunctions { reader.wrappers[name] = "log" }
    reader.followsKeychain = reader.maker.followsKeychain && KeychainHelper.isNamed(in: bytes)
    reader.readPreprocessor(lexer)
    reader.readFile()
    result.facts = reader.maker.finish()
    return result
  }
}

/// Reads tokens statement by statement.
struct ObjectiveCReader {
  let tokens: [ObjectiveCToken]
  var index = 0
  var maker: FactMaker
  var variables = Variables()
  /// Macros and functions that hand their arguments to a log.
  var wrappers: [String: String] = [:]
  /// What the file keeps of its logs where it ships, if it says so.
  var volume: LogVolume?
  private(set) var type: String?
  let followsCalls: Bool
  /// Whether the file and a check speak of the keychain.
  var followsKeychain = false
  private(set) var function: String?
  /// What the present function is given, and whether it is a method.
  private(set) var parameters: Set<String> = []
  private(set) var isMethod = false

  static let logs: Set<String> = ["NSLog", "printf", "os_log", "NSLogv", "fprintf", "CFShow"]
  /// Words that start a statement and are no names.
  private static let keywords: Set<String> = [
    "if", "else", "while", "for", "do", "switch", "case", "default", "return", "break", "continue",
    "goto", "try", "catch", "finally", "throw", "synchronized", "autoreleasepool", "in", "typedef",
    "extern", "using", "namespace", "template",
  ]
  static let qualifiers: Set<String> = [
    "const", "static", "__block", "__weak", "__strong", "__unsafe_unretained", "volatile", "extern",
    "unsigned", "signed", "struct", "inline", "register", "FOUNDATION_EXPORT", "nullable",
    "nonnull",
    "_Nonnull", "_Nullable", "__nullable", "__nonnull", "enum", "__autoreleasing", "constexpr",
  ]

  init(_ tokens: [ObjectiveCToken], _ maker: FactMaker) {
    self.tokens = tokens
    self.maker = maker
    followsCalls = maker.followsCalls
  }

  var token: ObjectiveCToken? { index < tokens.count ? tokens[index] : nil }

  func ahead(_ count: Int) -> ObjectiveCToken? {
    index + count < tokens.count ? tokens[index + count] : nil
  }

  func isSign(_ text: String, ahead count: Int = 0) -> Bool {
    guard let token = ahead(count) else { return false }
    return token.kind == .sign && token.text == text
  }

  /// The bytes from one token to the one before the present one.
  func range(from start: Int) -> Range<Int> {
    guard !tokens.isEmpty else { return 0..<0 }
    let first = tokens[min(start, tokens.count - 1)].range
    let last = tokens[min(max(start, index - 1), tokens.count - 1)].range
    return first.lowerBound..<max(first.upperBound, last.upperBound)
  }

  mutating func skip(_ text: String) -> Bool {
    guard isSign(text) else { return false }
    index += 1
    return true
  }

  var surrounding: Surrounding {
    var surrounding = Surrounding(type: type, function: function)
    if token?.isDebug ?? tokens.last?.isDebug ?? false {
      surrounding.scope.insert("debug")
    }
    return surrounding
  }

  mutating func readPreprocessor(_ lexer: ObjectiveCLexer) {
    for (name, range) in lexer.imports {
      maker.imports.append(name)
      if maker.filter(.importing, name) {
        maker.add(.importing, name, [:], at: range, in: Surrounding())
      }
    }
    for definition in lexer.definitions {
      if definition.parameters {
        if let log = definition.value.first(where: { Self.logs.contains($0.text) }) {
          wrappers[definition.name] = log.text
          state(macro: definition.name, for: log)
        }
      } else if definition.value.count <= 8 {
        let value = Self.value(of: definition.value, maker)
        variables.set(definition.name, value)
        declare(definition.name, value, nil, definition.value.first?.range ?? 0..<0)
      }
    }
  }

  /// States a macro that hands its arguments to a log, for the files that use it.
  private mutating func state(macro name: String, for log: ObjectiveCToken) {
    guard maker.filter(.declaration, name) else { return }
    maker.add(
      .declaration, name, ["kind": ["function"], "logs": [log.text], "callable": [name]],
      at: log.range, in: Surrounding(scope: log.isDebug ? ["debug"] : []))
  }

  /// What a macro stands for. Nothing is called where it is defined: facts are stated where it is
  /// used.
  private static func value(of macro: [ObjectiveCToken], _ maker: FactMaker) -> Expression {
    var reader = ObjectiveCReader(
      macro, FactMaker(language: maker.language, file: maker.file) { _, _ in false })
    return reader.expression(0)
  }

  /// Everything outside functions: implementations, functions, constants.
  mutating func readFile() {
    while let token {
      switch token.text {
      case "@" where ["implementation", "interface", "protocol"].contains(ahead(1)?.text ?? ""):
        readType()
      case "@" where ahead(1)?.text == "import":
        if let name = ahead(2)?.text { maker.imports.append(name) }
        index += 3
      case "-" where isSign("(", ahead: 1), "+" where isSign("(", ahead: 1):
        readMethod()
      case "{" where opensNamespace:
        index += 1
      case "{":
        // The body of a function of C, or a block of something this does not know.
        isMethod = false
        readBody(named: functionName(before: index))
      case "}":
        index += 1
      default:
        if !readDeclaration() { index += 1 }
      }
    }
  }

  /// Whether the brace here is that of `extern "C" {` or `namespace name {`: what follows is declared,
  /// not called.
  private var opensNamespace: Bool {
    guard index > 0 else { return false }
    return tokens[index - 1].kind == .text || tokens[index - 1].text == "namespace"
      || index > 1 && tokens[index - 2].text == "namespace"
  }

  private mutating func readType() {
    guard ahead(1)?.text == "implementation", let name = ahead(2)?.text else {
      index += 2
      return
    }
    type = name
    index += 3
    if maker.filter(.declaration, name) {
      maker.add(
        .declaration, name, ["kind": ["type"]], at: range(from: index - 1), in: Surrounding())
    }
  }

  /// `- (void)save:(NSString *)key with:(id)value {`
  private mutating func readMethod() {
    var name: String?
    parameters = []
    isMethod = true
    while let token, token.text != "{", token.text != ";" {
      if token.text == "(" {
        skipBalanced("(", ")")
        if name != nil, let parameter = self.token, parameter.kind == .word {
          variables.set(parameter.text, nil)
          variables.spoil(parameter.text)
          parameters.insert(parameter.text)
          index += 1
        }
        continue
      }
      if token.kind == .word, name == nil { name = token.text }
      index += 1
    }
    if skip(";") { return }
    readBody(named: name)
  }

  /// The name before the parentheses before a body; what stands in them are the parameters.
  private mutating func functionName(before index: Int) -> String? {
    var depth = 0
    var position = index - 1
    parameters = []
    while position >= 0, index - position < 256 {
      let text = tokens[position].text
      if text == ")" { depth += 1 }
      if depth == 1, text == ")" || text == ",", position > 0, tokens[position - 1].kind == .word {
        parameters.insert(tokens[position - 1].text)
      }
      if text == "(" {
        depth -= 1
        if depth == 0 {
          return position > 0 && tokens[position - 1].kind == .word
            ? tokens[position - 1].text : nil
        }
      }
      if depth == 0, [";", "}"].contains(text) { return nil }
      position -= 1
    }
    return nil
  }

  private mutating func readBody(named name: String?) {
    let outer = variables
    variables = Variables(in: outer)
    function = name
    maker.enterFunction()
    readBlock(0)
    maker.leaveFunction()
    function = nil
    variables = outer
  }

  mutating func skipBalanced(_ open: String, _ close: String) {
    guard skip(open) else { return }
    var depth = 1
    while depth > 0, let token {
      if token.kind == .sign {
        if token.text == open { depth += 1 }
        if token.text == close { depth -= 1 }
      }
      index += 1
    }
  }

  /// Statements between braces.
  mutating func readBlock(_ depth: Int) {
    guard skip("{") else { return }
    while let token, token.text != "}" || token.kind != .sign {
      let start = index
      readStatement(depth + 1)
      if index == start { index += 1 }
    }
    _ = skip("}")
  }

  private mutating func readStatement(_ depth: Int) {
    guard let token, depth < 100 else {
      skipBalanced("{", "}")
      return
    }
    if token.kind == .sign {
      if token.text == "{" { return readBlock(depth) }
      if token.text == ";" || token.text == ")" {
        index += 1
        return
      }
      if token.text == "@", let word = ahead(1)?.text, Self.keywords.contains(word) {
        index += 2
        return
      }
    }
    if token.kind == .word, Self.keywords.contains(token.text) {
      index += 1
      // `case a:` and `default:` are labels.
      if token.text == "case" { _ = expression(depth) }
      _ = isSign(":") ? skip(":") : false
      return
    }
    if readDeclaration(depth) { return }
    let start = index
    let before = maker.factCount
    let target = expression(depth)
    if skip("=") {
      let value = expression(depth)
      assign(value, to: target, from: start)
    } else if isSign(";") {
      maker.markUnused(since: before, at: range(from: start).lowerBound)
    }
    _ = skip(";")
  }

  /// `NSString *name = value;`, `static const char *key = "…";`
  private mutating func readDeclaration(_ depth: Int = 0) -> Bool {
    var position = index
    var words: [String] = []
    var start: Int?
    while position < tokens.count, position - index < 24 {
      let token = tokens[position]
      if token.kind == .word {
        guard !Self.keywords.contains(token.text) else { return false }
        if !Self.qualifiers.contains(token.text) {
          words.append(token.text)
          start = position
        }
      } else if token.text == "*" || token.text == "^" {
        guard !words.isEmpty else { return false }
      } else if token.text == "<", words.count == 1, let end = closing("<", ">", from: position) {
        position = end
      } else if token.text == "[", words.count >= 2, let end = closing("[", "]", from: position) {
        // `uint8_t key[] = {…}`
        position = end
      } else {
        break
      }
      position += 1
    }
    guard words.count >= 2, let start, position < tokens.count,
      ["=", ";", ","].contains(tokens[position].text), let name = words.last
    else { return false }
    index = position
    guard skip("=") else {
      variables.set(name, nil, type: words[0])
      index += 1
      return true
    }
    let value = isSign("{") ? initialiser(depth) : expression(depth)
    variables.set(name, value, type: words[0] == "id" ? nil : words[0])
    if name == "ddLogLevel", !tokens[start].isDebug {
      volume = value.lastName.flatMap { LogVolume(constant: $0) }
    }
    declare(name, value, words[0], range(from: start))
    _ = skip(";")
    return true
  }

  /// `{0x01, 0x02}` behind an array.
  private mutating func initialiser(_ depth: Int) -> Expression {
    _ = skip("{")
    var items: [Expression] = []
    while let token, token.text != "}" || token.kind != .sign {
      let start = index
      items.append(expression(depth + 1))
      _ = skip(",")
      if index == start { index += 1 }
    }
    _ = skip("}")
    return .array(items)
  }

  private func closing(_ open: String, _ close: String, from start: Int) -> Int? {
    var depth = 0
    for position in start..<min(start + 64, tokens.count) {
      if tokens[position].text == open { depth += 1 }
      if tokens[position].text == close {
        depth -= 1
        if depth == 0 { return position }
      }
    }
    return nil
  }

  private mutating func declare(
    _ name: String, _ value: Expression, _ type: String?, _ range: Range<Int>
  ) {
    guard maker.filter(.declaration, name) else { return }
    var values: [String: [String]] = ["kind": ["var"]]
    if let type { values["type"] = [type] }
    FactMaker.add(value, as: "value", to: &values, variables)
    maker.add(.declaration, name, values, at: range, in: surrounding)
  }

  private mutating func assign(_ value: Expression, to target: Expression, from start: Int) {
    var name = target.text
    switch target {
    case .name(let variable), .member(.name("self")?, let variable):
      variables.set(variable, value, type: variables[variable]?.type)
      name = variable
    case .element(let base, let arguments):
      guard let key = arguments.first?.value else { return }
      if let variable = base.lastName { variables.setEntry(of: variable, key, value) }
      name = base.text + "[" + (FactMaker.entryKey(key) ?? "") + "]"
    default: break
    }
    maker.add(
      assignmentOf: value, to: target, named: name, variables, at: range(from: start),
      in: surrounding)
  }
}
