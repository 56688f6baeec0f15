import CSodium
package import SecretBytes

/// The four libsodium primitives that the vault is built from, with Swift's types around them.
package enum Primitives {
  package static let nonceCount = 24
  package static let tagCount = 16
  package static let digestCount = 32

  /// BLAKE2b-256 without a key: finds torn writes, proves nothing against an attacker.
  package static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
    Random.prepare()
    let input = Array(bytes)
    var output = [UInt8](repeating: 0, count: digestCount)
    crypto_generichash(&output, digestCount, input, UInt64(input.count), nil, 0)
    return output
  }

  /// Keyed BLAKE2b of `label` ‖ `input`; the output is key material.
  package static func derive(
    _ count: Int, key: borrowing SecretBytes, label: [UInt8], input: borrowing SecretBytes
  ) -> SecretBytes {
    Random.prepare()
    let output = SecretBytes(zeroCount: count)
    let state = SecretBytes(zeroCount: crypto_generichash_statebytes() + 64)
    state.withMutableBytes { stateBytes in
      // The state must lie at a multiple of 64.
      let start = UnsafeMutableRawPointer(stateBytes.bound).alignedUp(toMultipleOf: 64)
      let hash = OpaquePointer(start)
      output.withMutableBytes { output in
        key.withBytes { key in
          _ = crypto_generichash_init(hash, key.bound, key.count, count)
        }
        crypto_generichash_update(hash, label, UInt64(label.count))
        input.withBytes { input in
          _ = crypto_generichash_update(hash, input.bound, UInt64(input.count))
        }
        _ = crypto_generichash_final(hash, output.bound, count)
      }
    }
    return output
  }

  /// Keyed BLAKE2b-128 or -256 of public bytes; the output is public.
  package static func tag(_ count: Int, key: borrowing SecretBytes, _ input: [UInt8]) -> [UInt8] {
    Random.prepare()
    var output = [UInt8](repeating: 0, count: count)
    key.withBytes { key in
      _ = crypto_generichash(
        &output, count, input, UInt64(input.count), key.bound, key.count)
    }
    return output
  }

  /// The 32-byte subkey of `key` for one use.
  package static func subkey(of key: borrowing SecretBytes, id: UInt64, context: StaticString)
    -> SecretBytes
  {
    precondition(context.utf8CodeUnitCount == 8)
    Random.prepare()
    let output = SecretBytes(zeroCount: 32)
    output.withMutableBytes { output in
      key.withBytes { key in
        context.withUTF8Buffer { context in
          context.withMemoryRebound(to: CChar.self) { context in
            guard let context = context.baseAddress else { return }
            _ = crypto_kdf_derive_from_key(output.bound, 32, id, context, key.bound)
          }
        }
      }
    }
    return output
  }

  /// XChaCha20-Poly1305: nonce ‖ ciphertext ‖ tag.
  package static func seal(
    _ plaintext: borrowing SecretBytes, key: borrowing SecretBytes, authenticating data: [UInt8]
  ) -> [UInt8] {
    var sealed = Random.bytes(nonceCount)
    let nonce = sealed
    let count = plaintext.count
    sealed.append(contentsOf: [UInt8](repeating: 0, count: count + tagCount))
    sealed.withUnsafeMutableBytes { sealed in
      plaintext.withBytes { plaintext in
        key.withBytes { key in
          _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
            sealed.bound + nonceCount, nil,
            plaintext.bound, UInt64(count), data, UInt64(data.count), nil, nonce, key.bound)
        }
      }
    }
    return sealed
  }

  /// The plaintext of what ``seal(_:key:authenticating:)`` made, or nothing if a byte was changed.
  package static func open(
    _ sealed: some Collection<UInt8>, key: borrowing SecretBytes, authenticating data: [UInt8]
  ) -> SecretBytes? {
    Random.prepare()
    let sealed = Array(sealed)
    guard sealed.count >= nonceCount + tagCount else { return nil }
    let count = sealed.count - nonceCount - tagCount
    let plaintext = SecretBytes(zeroCount: count)
    let result = sealed.withUnsafeBytes { sealed in
      plaintext.withMutableBytes { plaintext in
        key.withBytes { key in
          crypto_aead_xchacha20poly1305_ietf_decrypt(
            plaintext.bound, nil, nil, sealed.bound + nonceCount,
            UInt64(count + tagCount), data, UInt64(data.count), sealed.bound, key.bound)
        }
      }
    }
    guard result == 0 else { return nil }
    return consume plaintext
  }
}

extension UnsafeRawBufferPointer {
  /// The start as C's `const unsigned char *`; memory of a secret always has one, even an empty one.
  package var bound: UnsafePointer<UInt8> {
    guard let baseAddress else { preconditionFailure("a buffer without memory") }
    return baseAddress.assumingMemoryBound(to: UInt8.self)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The start as C's `unsigned char *`.
  package var bound: UnsafeMutablePointer<UInt8> {
    guard let baseAddress else { preconditionFailure("a buffer without memory") }
    return baseAddress.assumingMemoryBound(to: UInt8.self)
  }
}
