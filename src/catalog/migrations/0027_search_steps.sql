-- kind: expand, floor: 3
-- How PostgreSQL comes to the last entries that have some words, however many have them: its index
-- of words has where an entry stands besides, in steps of four times as many each (ADR 50). And
-- the words that entries have, as its index cannot tell which begin with some letters. What is gone
-- from the entries stays. No release has asked for what goes with it.
CREATE TABLE search_word (
  word {{key}} PRIMARY KEY              -- "n:vpc", with the letter of its place
);

{{index of search steps}}
