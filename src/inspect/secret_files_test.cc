#include "inspect/file_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace koya::inspect {
namespace {

// Made up, so that nothing takes this file for a leak.
std::string Key(std::string kind, std::string between = "\n") {
  return "-----BEGIN " + std::move(kind) + "-----" + between + std::string(64, 'M') + "\n";
}

struct SecretRow {
  std::string path;
  std::string content = "x";
};

TEST(SecretFilesTest, KnowsThemByTheirNamesAndKeysWhereverTheyStand) {
  const std::vector<SecretRow> kRows = {
      {"terraform.tfstate"},
      {"terraform.tfstate.backup"},
      {"examples/one/terraform.tfstate"},
      {"terraform.tfstate.d/dev/terraform.tfstate"},
      {"Prod.TFSTATE"},
      {"terraform.tfvars"},
      {"prod.auto.tfvars"},
      {"env/prod.tfvars.json"},
      {"modules/a/x.tfvars"},
      {".env"},
      {"examples/one/.env"},
      {"deploy.pem", Key("RSA PRIVATE KEY")},
      {"id_ed25519", Key("OPENSSH PRIVATE KEY")},
      {"main.tf", "locals {\n  key = <<-EOT\n    " + Key("PRIVATE KEY", "\n    ") + "  EOT\n}\n"},
      {"account.json", "{\"private_key\": \"" + Key("PRIVATE KEY", "\\n") + "\"}"},
      {"key.asc", Key("PGP PRIVATE KEY BLOCK", "\nVersion: 1\n\n")},
      {"old.pem", Key("RSA PRIVATE KEY", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n")},
      {"both.pem", Key("CERTIFICATE") + Key("EC PRIVATE KEY")},
      {"windows.pem", Key("PRIVATE KEY", "\r\n")},
  };
  for (const SecretRow& row : kRows) {
    EXPECT_NE(SecretIn(row.path, row.content), "") << row.path;
  }
}

TEST(SecretFilesTest, LeavesExamplesAndDocumentsAlone) {
  const std::vector<SecretRow> kRows = {
      {"main.tf"},
      {"tfstate.tf"},
      {"docs/terraform-tfstate.md"},
      {"backend.tfstate.md"},
      {"terraform.tfvars.example"},
      {"example.tfvars"},
      {"prod.example.tfvars"},
      {"Sample.auto.tfvars"},
      {"examples/one/terraform.tfvars"},
      {"modules/a/examples/b/x.tfvars.json"},
      {"tfvars"},
      {"x.tfvars.tmpl"},
      {".env.example"},
      {"env"},
      {"dev.env"},
      {"ca.pem", Key("CERTIFICATE")},
      {"id.pub", Key("PUBLIC KEY")},
      {"README.md", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n"},
      {"README.md",
       "Begins with `-----BEGIN RSA PRIVATE KEY-----`, which is " + std::string(39, 'a')},
      {"README.md", "-----BEGIN PRIVATE KEY-----" + std::string(500, '\n') + std::string(64, 'M')},
      {"x", "-----BEGIN " + std::string(80, 'A') + " PRIVATE KEY-----\n" + std::string(64, 'M')},
      {"cut.pem", "-----BEGIN PRIVATE KEY-----\nMII"},
      {"cut.pem", "-----BEGIN PRIVATE KE"},
      {"empty", ""},
  };
  for (const SecretRow& row : kRows) {
    EXPECT_EQ(SecretIn(row.path, row.content), "") << row.path;
  }
}

}  // namespace
}  // namespace koya::inspect
