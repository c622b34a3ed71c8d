#include "catalog/sql/engine/dialect.h"

#include <algorithm>
#include <iterator>

namespace koya::sql {
namespace {

struct Word {
  std::string_view word;
  std::string_view sqlite;
  std::string_view postgres;
};

// Without `prefix`, FTS5 merges all rows of all words that begin so before it gives the first.
// Three characters: the letter of a place, a colon and one of a word.
constexpr std::string_view kSqliteWordIndex = R"(
CREATE VIRTUAL TABLE search_newest USING fts5(words, content = '', detail = none,
  prefix = '3 4 5 6 7', tokenize = "ascii tokenchars '_-./:+'");
CREATE VIRTUAL TABLE search_older USING fts5(words, content = '', detail = none,
  prefix = '3 4 5 6 7', tokenize = "ascii tokenchars '_-./:+'");
CREATE TRIGGER search_entry_added AFTER INSERT ON search_entry BEGIN
  INSERT INTO search_newest (rowid, words) SELECT new.id, new.words WHERE new.newest = 1;
  INSERT INTO search_older (rowid, words) SELECT new.id, new.words WHERE new.newest = 0;
END;
CREATE TRIGGER search_entry_removed AFTER DELETE ON search_entry BEGIN
  INSERT INTO search_newest (search_newest, rowid, words)
    SELECT 'delete', old.id, old.words WHERE old.newest = 1;
  INSERT INTO search_older (search_older, rowid, words)
    SELECT 'delete', old.id, old.words WHERE old.newest = 0;
END;
CREATE TRIGGER search_entry_changed AFTER UPDATE OF newest, words ON search_entry BEGIN
  INSERT INTO search_newest (search_newest, rowid, words)
    SELECT 'delete', old.id, old.words WHERE old.newest = 1;
  INSERT INTO search_older (search_older, rowid, words)
    SELECT 'delete', old.id, old.words WHERE old.newest = 0;
  INSERT INTO search_newest (rowid, words) SELECT new.id, new.words WHERE new.newest = 1;
  INSERT INTO search_older (rowid, words) SELECT new.id, new.words WHERE new.newest = 0;
END;
)";
// Without "fastupdate" a search never has to go through recent additions.
constexpr std::string_view kPostgresWordIndex = R"(
CREATE INDEX search_entry_newest_words ON search_entry USING GIN (word_vector)
  WITH (fastupdate = off) WHERE newest = 1;
CREATE INDEX search_entry_older_words ON search_entry USING GIN (word_vector)
  WITH (fastupdate = off) WHERE newest = 0;
)";

// All that "newest with words" needs of an entry but its words. Older versions' entries, which
// would lie between them, are left out.
constexpr std::string_view kSqliteSearchOrder = R"(
CREATE INDEX search_entry_looked_at ON search_entry (id, subject_id, kind, kind_order, deprecated,
  published_at, name_key, namespace_key, head) WHERE newest = 1;
)";

// What a search went through, until step 27, where most entries have its words: all, and of a kind
// (domain/search_record.h numbers them). One index of (kind_order, id) would be there for each, but
// is believed to jump about in the table, and not taken.
constexpr std::string_view kPostgresSearchTurns = R"(
CREATE INDEX search_entry_newest_in_turn ON search_entry (id) WHERE newest = 1;
CREATE INDEX search_entry_older_in_turn ON search_entry (id) WHERE newest = 0;
CREATE INDEX search_entry_newest_modules ON search_entry (id)
  WHERE newest = 1 AND kind_order = 0;
CREATE INDEX search_entry_newest_providers ON search_entry (id)
  WHERE newest = 1 AND kind_order = 1;
CREATE INDEX search_entry_newest_submodules ON search_entry (id)
  WHERE newest = 1 AND kind_order = 2;
CREATE INDEX search_entry_newest_examples ON search_entry (id)
  WHERE newest = 1 AND kind_order = 3;
CREATE INDEX search_entry_newest_resources ON search_entry (id)
  WHERE newest = 1 AND kind_order = 4;
CREATE INDEX search_entry_newest_inputs ON search_entry (id)
  WHERE newest = 1 AND kind_order = 5;
CREATE INDEX search_entry_newest_outputs ON search_entry (id)
  WHERE newest = 1 AND kind_order = 6;
CREATE INDEX search_entry_newest_docs ON search_entry (id)
  WHERE newest = 1 AND kind_order = 7;
)";

// An entry's words as PostgreSQL's index takes them, and which 2^10, 2^13, … entries it is among.
// An index of an expression is taken only by a query that has the same.
constexpr std::string_view kPostgresWordsInSteps =
    "array_to_tsvector(string_to_array(btrim(words), ' ') || ARRAY['0=' || (id >> 10), "
    "'1=' || (id >> 12), '2=' || (id >> 14), '3=' || (id >> 16), '4=' || (id >> 18), "
    "'5=' || (id >> 20), '6=' || (id >> 22)])";

// Instead of what steps 13 and 26 made. Of words that are joined only the first part is kept, which
// every entry has that has the whole.
constexpr std::string_view kPostgresSearchSteps = R"(
DROP INDEX search_entry_newest_in_turn, search_entry_older_in_turn, search_entry_newest_modules,
  search_entry_newest_providers, search_entry_newest_submodules, search_entry_newest_examples,
  search_entry_newest_resources, search_entry_newest_inputs, search_entry_newest_outputs,
  search_entry_newest_docs, search_entry_newest_words, search_entry_older_words;
ALTER TABLE search_entry DROP COLUMN word_vector;
CREATE INDEX search_entry_newest_words ON search_entry USING GIN (({{words in steps}}))
  WITH (fastupdate = off) WHERE newest = 1;
CREATE INDEX search_entry_older_words ON search_entry USING GIN (({{words in steps}}))
  WITH (fastupdate = off) WHERE newest = 0;
INSERT INTO search_word (word) SELECT DISTINCT word FROM search_entry
  CROSS JOIN LATERAL unnest(string_to_array(btrim(words), ' ')) AS told (word)
  WHERE word ~ '^[ntx]:[^-+./:_]+$';
)";

constexpr Word kWords[] = {
    // A number the engine gives to each row.
    {"identity", "INTEGER PRIMARY KEY", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"},
    // The same, and a number is never given twice even when its row is gone.
    {"sequence", "INTEGER PRIMARY KEY AUTOINCREMENT",
     "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"},
    // Text that is compared and ordered bytewise, whatever the database's locale.
    {"key", "TEXT", "TEXT COLLATE \"C\""},
    // A function of a text and a part of it: where it begins, from 1; 0 when it is not in it.
    {"place in", "instr", "strpos"},
    // A transaction that writes. On SQLite it waits for its turn at once: upgrading a read later
    // would fail instead of waiting.
    {"begin write", "BEGIN IMMEDIATE", "BEGIN"},
    // Waits as long as we do, not statement_timeout: a server that waits for its standby would say
    // then that all is well.
    {"commit", "COMMIT", "SET LOCAL statement_timeout = 0; COMMIT"},
    // Makes racing publishes of one module take turns. SQLite has one writer anyway.
    {"for update", "", "FOR UPDATE"},
    // The same, but for rows of which new ones of other tables speak meanwhile.
    {"for no key update", "", "FOR NO KEY UPDATE"},
    // Keeps a row as it is until the transaction ends; others may do the same.
    {"for share", "", "FOR SHARE"},
    // The present by the database's own clock, in seconds since 1970.
    {"now", "CAST(strftime('%s', 'now') AS INTEGER)",
     "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())) AS BIGINT)"},
    // The same in milliseconds. SQLite counts days, to the millisecond.
    {"now in milliseconds", "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
     "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)"},
    // Distinguishes runs of the database's server; SQLite has none.
    {"server run", "'file'",
     "CAST(pg_postmaster_start_time() AS TEXT) || CAST(pg_is_in_recovery() AS TEXT)"},
    // Around a parameter that is a list (JsonList): its elements, one a row.
    {"elements of", "(SELECT value AS element FROM json_each(",
     "(SELECT value AS element FROM json_array_elements_text(CAST("},
    {"end of elements", ")) AS elements", " AS json))) AS elements"},
    // Of a module, by address_key: the key of its namespace.
    {"namespace of module", "substr(address_key, 1, instr(address_key, '/') - 1)",
     "split_part(address_key, '/', 1)"},
    // The same and "/": what the index module_by_namespace begins with, to the letter.
    {"place of module", "substr(address_key, 1, instr(address_key, '/'))",
     "split_part(address_key, '/', 1) || '/'"},
    // Around a query of one column, after an expression that must equal one of its values.
    // PostgreSQL steps through an index by the values of an array, in order, and stops where it
    // may; not by a query's.
    {"is among", "IN (", "= ANY (ARRAY("},
    {"end of among", ")", "))"},
    // Around a parameter that is a list of ranges (JsonRows): their three texts, a range a row.
    {"ranges of",
     "(SELECT json_extract(value, '$[0]') AS first, json_extract(value, '$[1]') AS past, "
     "json_extract(value, '$[2]') AS pattern FROM json_each(",
     "(SELECT value->>0 AS first, value->>1 AS past, value->>2 AS pattern FROM "
     "json_array_elements(CAST("},
    {"end of ranges", ")) AS ranges", " AS json))) AS ranges"},
    // Around a query of one column, after an expression that must equal one of its values and "(",
    // where rows are found by other means. PostgreSQL would join them with the query's one by one;
    // a condition that is no join it looks up in a table of them.
    {"is looked up in", "IN (", "IN ("},
    {"end of looked up", "))", ") OR FALSE)"},
    // Around the name of a table of ours: its columns, one a row.
    {"columns of", "(SELECT name AS column_name FROM pragma_table_info(",
     "(SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() "
     "AND table_name = "},
    {"end of columns", ")) AS columns", ") AS columns"},
    // Of search_entry: its words as an index takes them. PostgreSQL has a vector of them, SQLite an
    // index without the text, which triggers keep up to date. Both split at blanks alone. The
    // newest versions' entries have an index of their own: there may be many times the others.
    {"words as vector", "",
     ",\n  word_vector TSVECTOR NOT NULL GENERATED ALWAYS AS "
     "(array_to_tsvector(string_to_array(btrim(words), ' '))) STORED"},
    {"index of words", kSqliteWordIndex, kPostgresWordIndex},
    // PostgreSQL keeps none, and takes no script without a statement.
    {"index of search order", kSqliteSearchOrder, "SELECT 1;"},
    // The same the other way round.
    {"index of search turns", "SELECT 1;", kPostgresSearchTurns},
    // Before and after a parameter that says which words: the entries of newest versions that have
    // them; and those of the others. Then a condition may follow.
    {"newest with words",
     "search_newest CROSS JOIN search_entry e INDEXED BY search_entry_looked_at "
     "ON e.id = search_newest.rowid AND e.newest = 1 "
     "WHERE search_newest MATCH ",
     "search_entry e WHERE e.newest = 1 AND {{words in steps}} @@ CAST("},
    {"older with words",
     "search_older CROSS JOIN search_entry e ON e.id = search_older.rowid "
     "WHERE search_older MATCH ",
     "search_entry e WHERE e.newest = 0 AND {{words in steps}} @@ CAST("},
    // The same, of the index of words alone.
    {"newest words", "search_newest WHERE search_newest MATCH ",
     "search_entry e WHERE e.newest = 1 AND {{words in steps}} @@ CAST("},
    {"older words", "search_older WHERE search_older MATCH ",
     "search_entry e WHERE e.newest = 0 AND {{words in steps}} @@ CAST("},
    {"end of words", "", " AS tsquery)"},
    {"newest row", "search_newest.rowid", "e.id"},
    {"older row", "search_older.rowid", "e.id"},
    {"words in steps", "", kPostgresWordsInSteps},
    {"index of search steps", "SELECT 1;", kPostgresSearchSteps},
    // Around a parameter that is a list of search entries (JsonRows): their texts, an entry a row.
    {"entries of",
     "(SELECT json_extract(value, '$[0]') AS kind, json_extract(value, '$[1]') AS kind_order, "
     "json_extract(value, '$[2]') AS name, json_extract(value, '$[3]') AS name_key, "
     "json_extract(value, '$[4]') AS title, json_extract(value, '$[5]') AS body, "
     "json_extract(value, '$[6]') AS head, json_extract(value, '$[7]') AS words FROM json_each(",
     "(SELECT value->>0 AS kind, value->>1 AS kind_order, value->>2 AS name, "
     "value->>3 AS name_key, value->>4 AS title, value->>5 AS body, value->>6 AS head, "
     "value->>7 AS words FROM json_array_elements(CAST("},
    {"end of entries", ")) AS entries", " AS json))) AS entries"},
    // Around a parameter that is a list of rows (JsonRows): their first eleven texts, a row a row.
    {"rows of",
     "(SELECT json_extract(value, '$[0]') AS c0, json_extract(value, '$[1]') AS c1, "
     "json_extract(value, '$[2]') AS c2, json_extract(value, '$[3]') AS c3, "
     "json_extract(value, '$[4]') AS c4, json_extract(value, '$[5]') AS c5, "
     "json_extract(value, '$[6]') AS c6, json_extract(value, '$[7]') AS c7, "
     "json_extract(value, '$[8]') AS c8, json_extract(value, '$[9]') AS c9, "
     "json_extract(value, '$[10]') AS c10 FROM json_each(",
     "(SELECT value->>0 AS c0, value->>1 AS c1, value->>2 AS c2, value->>3 AS c3, "
     "value->>4 AS c4, value->>5 AS c5, value->>6 AS c6, value->>7 AS c7, value->>8 AS c8, "
     "value->>9 AS c9, value->>10 AS c10 FROM json_array_elements(CAST("},
    {"end of rows", ")) AS given", " AS json))) AS given"},
    // Leaves rows to the transaction that is at work on them.
    {"for update skip locked", "", "FOR UPDATE SKIP LOCKED"},
};

}  // namespace

std::string Render(Dialect dialect, std::string_view text) {
  std::string out;
  while (true) {
    std::size_t open = text.find("{{");
    std::size_t close = text.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    std::string_view found = text.substr(open + 2, close - open - 2);
    out += text.substr(0, open);
    const auto* word = std::ranges::find(kWords, found, &Word::word);
    if (word == std::end(kWords)) {
      out += text.substr(open, close + 2 - open);
    } else {  // which may be said in other words
      out += Render(dialect, dialect == Dialect::kSqlite ? word->sqlite : word->postgres);
    }
    text.remove_prefix(close + 2);
  }
  return out.append(text);
}

}  // namespace koya::sql
