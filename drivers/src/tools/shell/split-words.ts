// Split words: splits a command of plain words into a list; undefined for anything that needs a shell. There is no
// guessing.
//
//   splitWords(`grep -n "two words" a.txt`)     ["grep", "-n", "two words", "a.txt"]
//   splitWords(`cat a | sort`)                  undefined

/** Outside quotes these mean something to a shell, or may, somewhere in a word. */
const SPECIAL = new Set("|&;<>()$`\\*?[]{}#~!\n\r\0");
/** The same inside double quotes. */
const SPECIAL_QUOTED = new Set("$`\\!\0");

export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (const char of text) {
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else if (quote === '"' && SPECIAL_QUOTED.has(char)) return undefined;
      else if (char === "\0") return undefined;
      else word = (word ?? "") + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (char === " " || char === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (SPECIAL.has(char)) return undefined;
    else word = (word ?? "") + char;
  }
  if (quote !== undefined) return undefined;
  if (word !== undefined) words.push(word);
  return isPlainCommand(words) ? words : undefined;
}

/** `A=b command` sets a variable, and some names are the shell's own. */
const SHELL_WORDS = new Set(
  [
    "if then else elif fi for while until do done case esac function select time coproc in",
    "cd export set unset source . eval exec exit alias umask ulimit trap wait read shift local",
  ].flatMap((line) => line.split(" ")),
);

function isPlainCommand([program]: readonly string[]): boolean {
  return program !== undefined && !program.includes("=") && !SHELL_WORDS.has(program);
}
