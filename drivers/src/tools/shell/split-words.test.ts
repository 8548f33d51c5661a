import { expect, test } from "vitest";
import { splitWords } from "./split-words.ts";

test.each<[string, string[]]>([
  ["git status", ["git", "status"]],
  ["  ls\t-l  ", ["ls", "-l"]],
  [`grep -n "two words" a.txt`, ["grep", "-n", "two words", "a.txt"]],
  [`echo 'a $b "c"' d"e"'f'`, ["echo", 'a $b "c"', "def"]],
  [`echo ''`, ["echo", ""]],
  [`git commit -m "it's fine"`, ["git", "commit", "-m", "it's fine"]],
  ["env a=b", ["env", "a=b"]],
])("%s is words", (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

test.each([
  "cat a | sort",
  "a && b",
  "a & b",
  "a; b",
  "a > b",
  "a < b",
  "echo $HOME",
  "echo `id`",
  'echo "$(id)"',
  'echo "`id`"',
  'echo "a\\"b"',
  "ls *",
  "ls ?",
  "ls [a]",
  "ls {a,b}",
  "ls ~",
  "a\\ b",
  "a # b",
  "a !b",
  'a "!b"',
  "(a)",
  "a\nb",
  "a\r",
  "a\0b",
  "'a\0b'",
  "A=b c",
  "cd /work",
  "if a",
  ". ./x",
  "exec a",
  "echo 'open",
  'echo "open',
  "",
  "   ",
])("%j is not", (text) => {
  expect(splitWords(text)).toBeUndefined();
});
