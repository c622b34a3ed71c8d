#include "domain/search_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "domain/search_document.h"
#include "domain/search_record.h"

namespace koya {
namespace {

// Words by blanks; those kept besides in brackets.
std::string Split(std::string_view text, std::size_t most = 100) {
  std::string out;
  for (const SearchWord& word : SplitSearchWords(text, most)) {
    if (!out.empty()) out += ' ';
    out += word.besides ? "[" + word.text + "]" : word.text;
  }
  return out;
}

TEST(SearchWords, AreCutWhereWordsBeginAndKeptWhole) {
  constexpr std::pair<std::string_view, std::string_view> kCases[] = {
      {"", ""},
      {"  \t\n", ""},
      {"!?,;:()[]{}'\"", ""},
      {"_-./", ""},
      {"-- _", ""},
      {"vpc", "vpc"},
      {"VPC", "vpc"},
      {"private subnet", "private subnet"},
      {"aws_vpc", "aws vpc [aws_vpc]"},
      {"aws-vpc.main/x", "aws vpc main x [aws-vpc.main/x]"},
      {"The end.", "the end"},
      {"_private", "private"},
      {"/etc/hosts", "etc hosts [etc/hosts]"},
      {"a..b", "a b [a..b]"},
      {"loadBalancer", "load balancer [loadbalancer]"},
      {"HTTPServer", "http server [httpserver]"},
      {"awsVpcID", "aws vpc id [awsvpcid]"},
      {"IPv4", "i pv4 [ipv4]"},
      {"VPCs", "vpcs"},
      {"subnetIDs", "subnet ids [subnetids]"},
      {"AWSsome", "aw ssome [awssome]"},
      {"k8s", "k8s"},
      {"10.0.0.0/16", "10 0 0 0 16 [10.0.0.0/16]"},
      {"Größe", "größe"},
      {"ÜBER", "über"},
      {"ΣΊΣΥΦΟΣ", "σίσυφοσ"},
      {"Привет", "привет"},
      {"日本語", "日本 本語 [語]"},
      {"日", "日"},
      {"日本", "日本 [本]"},
      {"AWSの設定", "aws の設 設定 [定]"},
      {"データ", "デー ータ [タ]"},
      {"한국어", "한국 국어 [어]"},
      {"a\xff"
       "b",
       "a b"},
      {"\xe6\x97", ""},
      {"x\xe3\x80\x80y", "x y"},
      {"😀", ""}};
  for (const auto& [text, words] : kCases) EXPECT_EQ(Split(text), words) << text;
}

TEST(SearchWords, AreBounded) {
  EXPECT_EQ(Split("a b c d", 2), "a b");
  EXPECT_EQ(Split("日本語日本語", 2), "日本 本語");
  EXPECT_EQ(Split("anything", 0), "");
  const auto words = SplitSearchWords(std::string(100'000, 'a'), 10);
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words[0].text, std::string(kLongestSearchWord, 'a'));
  EXPECT_EQ(words[0].end, 100'000u);
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  EXPECT_EQ(SplitSearchWords("a" + umlauts, 10)[0].text.size(), 63u);
}

TEST(SearchWords, SayWhereTheyStand) {
  constexpr std::string_view kText = "x aws_vpcName 日本語";
  for (const SearchWord& word : SplitSearchWords(kText, 100)) {
    EXPECT_EQ(FoldForSearch(kText.substr(word.begin, word.end - word.begin)), word.text);
  }
}

TEST(SearchWords, TextsAreCutBetweenCharacters) {
  EXPECT_EQ(CutUtf8("日本", 6), "日本");
  EXPECT_EQ(CutUtf8("日本", 5), "日");
  EXPECT_EQ(CutUtf8("日本", 2), "");
  EXPECT_EQ(CutUtf8("ab", 1), "a");
}

TEST(SearchDocument, HasTheWordsOfEachPlace) {
  const auto subject =
      SearchSubject::Of(*ModuleAddress::Parse("Acme/vpc/aws"), *Version::Parse("1.2.0-rc.1+b"));
  const SearchDocument module = MakeSearchDocument(subject,
                                                   {.kind = SearchKind::kModule,
                                                    .name = "vpc",
                                                    .title = "Private subnet",
                                                    .text = "日本",
                                                    .uses = {"aws_vpc", "Bad one"},
                                                    .needs = {"example.com/hashicorp/aws"}},
                                                   true);
  EXPECT_EQ(module.head,
            " n:vpc | | n:acme n:vpc n:aws | n:acme/vpc/aws | t:private t:subnet | | ");
  EXPECT_EQ(module.words,
            module.head +
                "x:日本 | x:本 | k:module s:acme y:aws v:1.2.0-rc.1+b d:1 e:1 u:aws_vpc "
                "u:bad_one p:example.com/hashicorp/aws p:hashicorp/aws p:aws ");
  EXPECT_EQ(module.spellings, (std::vector<std::string>{"private", "subnet"}));
  const SearchDocument input =
      MakeSearchDocument(subject, {.kind = SearchKind::kInput, .name = "cidr"}, false);
  EXPECT_EQ(input.head, " n:cidr | | | | ") << "an address is not its inputs' name";
}

TEST(SearchDocument, IsBounded) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "word" + std::to_string(i) + " ";
  const std::vector<std::string> many(1000, std::string(1000, 'a'));
  const SearchDocument document = MakeSearchDocument(
      SearchSubject::Of(*ModuleAddress::Parse("acme/vpc/aws"), *Version::Parse("1.0.0")),
      {.kind = SearchKind::kDoc,
       .name = text,
       .title = text,
       .text = text,
       .uses = many,
       .needs = many},
      false);
  EXPECT_LT(document.words.size(), 200'000u);
}

TEST(Spelling, OneLetterApart) {
  constexpr std::tuple<std::string_view, std::string_view, bool> kCases[] = {
      {"network", "network", true},    {"network", "networks", true},
      {"network", "etwork", true},     {"network", "netwrk", true},
      {"network", "netwerk", true},    {"network", "netwrok", true},
      {"network", "nnetwork", true},   {"größe", "grösse", false},
      {"größe", "große", true},        {"network", "netwrks", false},
      {"network", "newtrok", false},   {"network", "nitwerk", false},
      {"network", "networkss", false}, {"network", "krowten", false},
      {"network", "", false},          {"abcde", "bcdea", false},
      {"abcde", "abced", true},        {"abcde", "bacde", true},
      {"abcde", "badce", false},       {"", "", true}};
  for (const auto& [a, b, near] : kCases) {
    EXPECT_EQ(IsNearlySpelt(a, b), near) << a << " " << b;
    EXPECT_EQ(IsNearlySpelt(b, a), near) << b << " " << a;
    if (!near) continue;
    const auto of_a = SpellingPieces(a), of_b = SpellingPieces(b);
    EXPECT_TRUE(std::ranges::any_of(
        of_a,
        [&](const std::string& piece) { return std::ranges::find(of_b, piece) != of_b.end(); }))
        << "no piece of " << a << " and " << b;
  }
}

TEST(Spelling, ShortWordsAndNumbersAreNotForgiven) {
  for (std::string_view word : {"", "vpc", "data", "größ", "123456"}) {
    EXPECT_FALSE(IsForgivable(word)) << word;
  }
  EXPECT_FALSE(IsForgivable(std::string(33, 'a')));
  for (std::string_view word : {"größe", "subnet", "ipv4s", "12345a"}) {
    EXPECT_TRUE(IsForgivable(word)) << word;
  }
}

TEST(Spelling, PiecesLackOneCharacter) {
  EXPECT_EQ(SpellingPieces("aab"), (std::vector<std::string>{"aa", "aab", "ab"}));
  EXPECT_EQ(SpellingPieces("üb"), (std::vector<std::string>{"b", "ü", "üb"}));
}

}  // namespace

}  // namespace koya
