import { expect, test } from "vitest";
import { splitCode } from "./split-code.ts";

const heads = (path: string, text: string) =>
  splitCode(text, path).map(({ head, line }) => [head, line]);
const filler = (lines: number) => "    work(1);\n".repeat(lines);

test("a long class is split by its members, each with its comment, its names and its line", () => {
  const text = `// The gate.\nimport { a } from "b";\n\nexport class Gate {\n  readonly port = 1;\n\n  /** Opens. */\n  async open(name: string): Promise<void> {\n    if (name === "}") {\n${filler(60)}    }\n  }\n\n  close = () => {\n${filler(30)}  };\n}\n\nfunction after() {}\n`;

  const passages = splitCode(text, "a.ts");

  expect(passages.map(({ head }) => head)).toEqual([
    "",
    "Gate",
    "Gate.open",
    "Gate.close",
    "after",
  ]);
  expect(passages[2]!.text).toMatch(/^ {2}\/\*\* Opens\. \*\//);
  expect(passages[2]!.line).toBe(7);
  expect(text.split("\n")[passages[4]!.line! - 1]).toBe("function after() {}");
});

test.each<[string, string, readonly (readonly [string, number])[]]>([
  [
    "a.ts",
    'const s = "{";\nconst t = `\nfunction no() {\n`;\nfunction yes() {}\n',
    [
      ["s", 1],
      ["t", 2],
      ["yes", 5],
    ],
  ],
  [
    "a.ts",
    "const r = /[{/]+/;\nfunction yes() {}\n",
    [
      ["r", 1],
      ["yes", 2],
    ],
  ],
  [
    "a.go",
    "package a\n\n// Serve listens.\nfunc (s *Server) Serve(port int) error {\n\treturn nil\n}\n",
    [
      ["", 1],
      ["Serve", 3],
    ],
  ],
  [
    "a.rs",
    "use x;\n/// Adds.\npub(crate) fn add<T>(a: T) -> T {\n  a\n}\nimpl Gate {\n  fn go(&self) {}\n}\n",
    [
      ["", 1],
      ["add", 2],
      ["Gate go", 6],
    ],
  ],
  [
    "a.java",
    "package a;\npublic class Gate {\n  public void open(String s) throws X { run(); }\n}\n",
    [
      ["", 1],
      ["Gate open", 2],
    ],
  ],
  [
    "a.c",
    "int x;\n\nstatic int add(int a)\n{\n  return a;\n}\n",
    [
      ["", 1],
      ["add", 3],
    ],
  ],
  [
    "a.py",
    '"""Text.\n\ndef no(): it is a text\n"""\nimport a\n\n@deco\ndef run(x):\n    return 1\n\nclass Tool:\n    def call(self):\n        def inner(): pass\n',
    [
      ["", 1],
      ["run", 7],
      ["Tool call", 11],
    ],
  ],
  ["a.rb", "class Gate\n  def open\n  end\nend\n", [["Gate open", 1]]],
])("%s is split by its symbols", (path, text, expected) => {
  expect(heads(path, text)).toEqual(expected);
});

test("SPLIT-CODE-1: every line that is not blank is in one passage", () => {
  const text = `a();\n\nexport class A {\n${Array.from({ length: 40 }, (_, n) => `  m${n}() {\n${filler(5)}  }\n`).join("\n")}}\n${"const data = 1;\n".repeat(400)}`;

  const lines = splitCode(text, "a.ts").flatMap((one) => one.text.split("\n"));

  const kept = (all: readonly string[]) => all.filter((line) => line.trim() !== "");
  expect(kept(lines)).toEqual(kept(text.split("\n")));
});

/** A line that takes quadratic time takes hours here. */
test.each([
  ["blank lines", "\n".repeat(400_000)],
  ["spaces", " ".repeat(400_000)],
  ["one long line", "a(".repeat(200_000)],
  ["open strings", "'`\"".repeat(100_000)],
  ["slashes", "=/".repeat(200_000)],
  ["words", "public static ".repeat(30_000)],
  ["braces", "{\n".repeat(200_000)],
  ["angles", "class A<".repeat(50_000)],
])("SPLIT-CODE-2: %s take linear time", (_what, text) => {
  for (const path of ["a.ts", "a.py", "a.c"])
    for (const passage of splitCode(text, path)) expect(passage.text.length).toBeLessThan(3001);
});
