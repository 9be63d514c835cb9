#include "drivers/scram_verifier.h"

#include <array>
#include <optional>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

namespace pgfiredrill {
namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::optional<Digest> salted_password(const Secret& password, const std::string& salt, int iterations) {
  Digest digest{};
  const std::string& text = password.reveal();
  const int made = PKCS5_PBKDF2_HMAC(text.data(), static_cast<int>(text.size()), bytes_of(salt),
                                     static_cast<int>(salt.size()), iterations, EVP_sha256(),
                                     static_cast<int>(digest.size()), digest.data());
  return made == 1 ? std::optional{digest} : std::nullopt;
}

Digest hmac(const Digest& key, const std::string& text) {
  Digest digest{};
  unsigned size = 0;
  ::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(), digest.data(),
         &size);
  return digest;
}

std::string base64(const unsigned char* bytes, std::size_t size) {
  std::string text((size + 2) / 3 * 4 + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

std::string scram_verifier(const Secret& password, const std::string& salt, int iterations) {
  const auto salted = salted_password(password, salt, iterations);
  if (!salted) return {};
  const Digest client_key = hmac(*salted, "Client Key");
  const Digest server_key = hmac(*salted, "Server Key");
  Digest stored_key{};
  ::SHA256(client_key.data(), client_key.size(), stored_key.data());
  return "SCRAM-SHA-256$" + std::to_string(iterations) + ":" + base64(bytes_of(salt), salt.size()) + "$" +
         base64(stored_key.data(), stored_key.size()) + ":" + base64(server_key.data(), server_key.size());
}

}  // namespace pgfiredrill
