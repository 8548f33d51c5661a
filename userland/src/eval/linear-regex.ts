// LinearRegex: regular expressions whose search takes the time of the text times that of the pattern, whatever the two
// are. All states of the automaton go over the text together, so that there is nothing to go back to.
//
//   compileRegex("^\\d+ (apples|pears)$", "i").test("12 Pears")
//
// LINEAR-REGEX-1  A search takes at most the length of the text times the size of the pattern.
// LINEAR-REGEX-2  What cannot be searched so is refused: back references and look-around. So is what is too large.
// LINEAR-REGEX-3  What is accepted matches what RegExp with the flag `u` matches.

/** Throws an Error that says what cannot be read, and where. */
export function compileRegex(pattern: string, flags = ""): { test(text: string): boolean } {
  const options = {
    ignoreCase: flags.includes("i"),
    multiline: flags.includes("m"),
    dotAll: flags.includes("s"),
  };
  const tree = new PatternParser(pattern, options).whole();
  const program = new ProgramBuilder(tree).states;
  return { test: (text) => search(program, Array.from(text)) };
}

const MOST_STATES = 20_000;
const MOST_REPEATS = 1000;

interface Options {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

type Test = (char: string) => boolean;
type Edge = (before: string | undefined, after: string | undefined) => boolean;

type Tree =
  | { readonly kind: "char"; readonly is: Test }
  | { readonly kind: "edge"; readonly at: Edge }
  | { readonly kind: "all" | "any"; readonly parts: readonly Tree[] }
  | { readonly kind: "repeat"; readonly of: Tree; readonly min: number; readonly max: number };

const isWord = (char: string | undefined): boolean => char !== undefined && /^\w$/.test(char);
const isLineEnd = (char: string | undefined): boolean => char !== undefined && LINE_ENDS.has(char);
const LINE_ENDS = new Set(["\n", "\r", "\u2028", "\u2029"]);

const CLASSES: Readonly<Record<string, Test>> = {
  d: (char) => /^\d$/.test(char),
  w: (char) => /^\w$/.test(char),
  s: (char) => /^\s$/.test(char),
};
const CONTROLS: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  f: "\f",
  v: "\v",
  "0": "\0",
};
const SYNTAX = new Set("^$\\.*+?()[]{}|/-");

class PatternParser {
  readonly #chars: readonly string[];
  readonly #options: Options;
  #at = 0;

  constructor(pattern: string, options: Options) {
    this.#chars = Array.from(pattern);
    this.#options = options;
  }

  whole(): Tree {
    const tree = this.#alternatives();
    if (this.#at < this.#chars.length) throw this.#error("a ) without (");
    return tree;
  }

  #error(what: string): Error {
    return new Error(`${what}, at character ${this.#at + 1} of the pattern`);
  }

  #take(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #alternatives(): Tree {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { kind: "any", parts };
  }

  #sequence(): Tree {
    const parts: Tree[] = [];
    for (;;) {
      const char = this.#chars[this.#at];
      if (char === undefined || char === "|" || char === ")") return { kind: "all", parts };
      parts.push(this.#repeated(this.#atom()));
    }
  }

  #repeated(of: Tree): Tree {
    const bounds = this.#bounds();
    if (bounds === undefined) return of;
    if (of.kind === "edge") throw this.#error("nothing to repeat");
    this.#take("?"); // which match is found makes no difference to whether there is one
    const [min, max] = bounds;
    if (min > max) throw this.#error("a repetition from more to less");
    if (Math.max(min, max === Infinity ? 0 : max) > MOST_REPEATS)
      throw this.#error(`more than ${MOST_REPEATS} repetitions`);
    if (this.#bounds() !== undefined) throw this.#error("nothing to repeat");
    return { kind: "repeat", of, min, max };
  }

  #bounds(): readonly [number, number] | undefined {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    if (this.#chars[this.#at] !== "{") return undefined;
    const rest = this.#chars.slice(this.#at, this.#at + 20).join("");
    const match = /^\{(\d{1,6})(,(\d{1,6})?)?\}/.exec(rest);
    if (match === null) throw this.#error("a { that is no repetition: write \\{");
    this.#at += match[0].length;
    const min = Number(match[1]);
    if (match[2] === undefined) return [min, min];
    return [min, match[3] === undefined ? Infinity : Number(match[3])];
  }

  #atom(): Tree {
    const char = this.#chars[this.#at]!;
    this.#at += 1;
    const { multiline, dotAll } = this.#options;
    if (char === "(") return this.#group();
    if (char === "[") return { kind: "char", is: this.#set() };
    if (char === "\\") return this.#escape();
    if (char === ".") return { kind: "char", is: (one) => dotAll || !isLineEnd(one) };
    if (char === "^")
      return {
        kind: "edge",
        at: (before) => before === undefined || (multiline && isLineEnd(before)),
      };
    if (char === "$")
      return {
        kind: "edge",
        at: (_before, after) => after === undefined || (multiline && isLineEnd(after)),
      };
    if ("*+?{}]".includes(char)) {
      this.#at -= 1;
      throw this.#error(`a ${char} with nothing before it: write \\${char}`);
    }
    return { kind: "char", is: this.#literal(char) };
  }

  /** LINEAR-REGEX-2. */
  #group(): Tree {
    if (this.#take("?") && !this.#take(":")) {
      const name = this.#chars.slice(this.#at, this.#at + 60).join("");
      const named = /^<[A-Za-z_]\w*>/.exec(name);
      if (named === null) throw this.#error("look-around and flags in a group are not supported");
      this.#at += named[0].length;
    }
    const inner = this.#alternatives();
    if (!this.#take(")")) throw this.#error("a ( without )");
    return inner;
  }

  #escape(): Tree {
    const next = this.#chars[this.#at];
    if (next === "b" || next === "B") {
      this.#at += 1;
      const isAt: Edge = (before, after) => isWord(before) !== isWord(after);
      return {
        kind: "edge",
        at: next === "b" ? isAt : (before, after) => !isAt(before, after),
      };
    }
    if (next !== undefined && /^[1-9k]$/.test(next))
      throw this.#error("back references are not supported");
    const found = this.#escaped();
    return { kind: "char", is: typeof found === "string" ? this.#literal(found) : found };
  }

  /** A character, or a class of them. */
  #escaped(): string | Test {
    const char = this.#chars[this.#at];
    if (char === undefined) throw this.#error("a \\ at the end");
    this.#at += 1;
    const lower = char.toLowerCase();
    const known = CLASSES[lower];
    if (known !== undefined) return char === lower ? known : (one) => !known(one);
    if (CONTROLS[char] !== undefined) return CONTROLS[char];
    if (char === "x") return this.#code(/^[0-9a-fA-F]{2}/);
    if (char === "u") return this.#code(/^(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\})/);
    if (SYNTAX.has(char)) return char;
    throw this.#error(`\\${char} is not supported`);
  }

  #code(form: RegExp): string {
    const match = form.exec(this.#chars.slice(this.#at, this.#at + 8).join(""));
    const code = match === null ? NaN : Number.parseInt(match[0].replaceAll(/[{}]/g, ""), 16);
    if (match === null || code > 0x10ffff) throw this.#error("not the code of a character");
    this.#at += match[0].length;
    return String.fromCodePoint(code);
  }

  #set(): Test {
    const isNot = this.#take("^");
    const tests: Test[] = [];
    while (!this.#take("]")) {
      const low = this.#member();
      const isRange = this.#chars[this.#at] === "-" && this.#chars[this.#at + 1] !== "]";
      if (!isRange) {
        tests.push(typeof low === "string" ? this.#literal(low) : low);
        continue;
      }
      this.#at += 1;
      const high = this.#member();
      if (typeof low !== "string" || typeof high !== "string")
        throw this.#error("a range begins and ends with a character");
      tests.push(this.#range(low.codePointAt(0)!, high.codePointAt(0)!));
    }
    return (char) => tests.some((test) => test(char)) !== isNot;
  }

  #member(): string | Test {
    const char = this.#chars[this.#at];
    if (char === undefined) throw this.#error("a [ without ]");
    this.#at += 1;
    if (char !== "\\") return char;
    if (this.#take("b")) return "\b";
    return this.#escaped();
  }

  #range(low: number, high: number): Test {
    if (low > high) throw this.#error("a range from higher to lower");
    const is = (char: string) => char.codePointAt(0)! >= low && char.codePointAt(0)! <= high;
    return this.#options.ignoreCase
      ? (char) => is(char) || is(char.toLowerCase()) || is(char.toUpperCase())
      : is;
  }

  #literal(wanted: string): Test {
    if (!this.#options.ignoreCase) return (char) => char === wanted;
    const folded = wanted.toLowerCase();
    return (char) => char === wanted || char.toLowerCase() === folded;
  }
}

/** `next` and `other` are numbers of states. */
type State =
  | { kind: "char"; is: Test; next: number }
  | { kind: "edge"; at: Edge; next: number }
  | { kind: "fork"; next: number; other: number }
  | { kind: "found" };

/** Thompson's construction, from the end to the beginning. */
class ProgramBuilder {
  readonly states: State[] = [{ kind: "found" }];

  constructor(tree: Tree) {
    const first = this.#build(tree, 0);
    this.states.push({ kind: "fork", next: first, other: first }); // where a search begins is the last
  }

  /** The number of its first state; after it comes `next`. */
  #build(tree: Tree, next: number): number {
    if (tree.kind === "char") return this.#add({ kind: "char", is: tree.is, next });
    if (tree.kind === "edge") return this.#add({ kind: "edge", at: tree.at, next });
    if (tree.kind === "all")
      return tree.parts.reduceRight((after, part) => this.#build(part, after), next);
    if (tree.kind === "any")
      return tree.parts
        .map((part) => this.#build(part, next))
        .reduceRight((other, one) => this.#add({ kind: "fork", next: one, other }));
    return this.#repeat(tree as Extract<Tree, { kind: "repeat" }>, next);
  }

  #repeat({ of, min, max }: Extract<Tree, { kind: "repeat" }>, next: number): number {
    let first = next;
    if (max === Infinity) {
      const loop: State = { kind: "fork", next: 0, other: next };
      first = this.#add(loop);
      loop.next = this.#build(of, first);
    } else
      for (let n = min; n < max; n++)
        first = this.#add({ kind: "fork", next: this.#build(of, first), other: next });
    for (let n = 0; n < min; n++) first = this.#build(of, first);
    return first;
  }

  #add(state: State): number {
    if (this.states.length >= MOST_STATES) throw new Error("the pattern is too large");
    return this.states.push(state) - 1;
  }
}

/** LINEAR-REGEX-1. */
function search(states: readonly State[], chars: readonly string[]): boolean {
  const begin = states.length - 1;
  let now: number[] = [];
  for (let at = 0; at <= chars.length; at++) {
    const [before, after] = [chars[at - 1], chars[at]];
    const reached = reach(states, [...now, begin], before, after);
    if (reached === "found") return true;
    now = reached.flatMap((nth) => {
      const state = states[nth]!;
      return state.kind === "char" && after !== undefined && state.is(after) ? [state.next] : [];
    });
  }
  return false;
}

/** The states that take a character, from these without taking one. Each is looked at once. */
function reach(
  states: readonly State[],
  from: readonly number[],
  before: string | undefined,
  after: string | undefined,
): readonly number[] | "found" {
  const seen = new Set<number>();
  const open = [...from];
  const taking: number[] = [];
  for (let nth = open.pop(); nth !== undefined; nth = open.pop()) {
    if (seen.has(nth)) continue;
    seen.add(nth);
    const state = states[nth]!;
    if (state.kind === "found") return "found";
    if (state.kind === "char") taking.push(nth);
    else if (state.kind === "fork") open.push(state.next, state.other);
    else if (state.at(before, after)) open.push(state.next);
  }
  return taking;
}
