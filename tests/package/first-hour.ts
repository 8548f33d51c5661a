// The first hour: the lines that a person types after an installation, and what each must print.

interface TypedLine {
  readonly line: string;
  readonly prints?: RegExp;
  /** Typed until it prints that. */
  readonly isAsked?: boolean;
}

export const firstHour: readonly TypedLine[] = [
  { line: "npm install ./agent-os.tgz", prints: /added \d+ packages/ },
  { line: "npx aos up -d" },
  // A tool of the project, in TypeScript, in the sandbox.
  { line: "npx aos init tools notes" },
  { line: "npx aos trust notes --yes", prints: /is trusted/ },
  { line: "npx aos run notes /work/note.txt --dir notes", prints: /\{"words":6\}/ },
  // An agent that waits for a person outlives its daemon.
  { line: "npx aos init approval clerk" },
  { line: 'npx aos spawn clerk "pay mallory 500 francs" --label untrusted/public' },
  { line: "npx aos approvals", prints: /pay mallory/, isAsked: true },
  { line: "kill -9 $(npx aos status -o name)" },
  { line: "npx aos up -d" },
  { line: "npx aos approve $(npx aos approvals -o name)" },
  { line: "npx aos wait @last", prints: /Entered\./ },
  { line: "npx aos replay @last --verify", prints: /identical/ },
  // The kernel as a library.
  {
    line: `cat >embed.mts <<'END'
import { createKernel } from "agent-os";

const kernel = await createKernel({ programs: { greet: async (_sys, name) => \`hello \${name}\` } });
const pid = await kernel.spawn({ agent: "greet", input: "Ada" });
console.log((await kernel.wait(pid)).output);
await kernel.close();
END`,
  },
  { line: "npx node embed.mts", prints: /hello Ada/ },
  // A program in Python.
  { line: "npx aos init python counter" },
  { line: 'npx aos run counter "one two"', prints: /"words": 2/ },
  { line: "npx aos down" },
];
