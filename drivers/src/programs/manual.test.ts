// The manual says what is so: docs/man/README.md has every call with its arguments, every failure and every signal,
// docs/syscall-protocol.md the limits. The Python client, which cannot share our tables, has every call.

import { readFileSync } from "node:fs";
import { failures, MAX_LINE_BYTES, signals, syscalls } from "@aos/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { MAX_NESTING, readWireCall } from "./wire-call.ts";

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const manual = textOf("docs/syscall-protocol.md");

const rows = [manual, textOf("docs/man/README.md")]
  .flatMap((page) => page.split("\n"))
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** The cells of the row that begins with `name`. */
const rowOf = (name: string): string[] | undefined => rows.find(([first]) => first === name);

test.each(Object.entries(syscalls))(
  "the manual has the arguments of %s",
  (name, { args, waits }) => {
    const schema = z.toJSONSchema(args, { unrepresentable: "any" }) as {
      properties: object;
      required?: string[];
    };
    const eitherOr = name === "read" || name === "write" ? ["path", "fd"] : [];

    const row = rowOf(`\`${name}\``);

    const written = [...(row?.[1] ?? "").matchAll(/(?:^|, | or )`(\w+)`(\??)/g)];
    expect(written.map(([, argument]) => argument)).toEqual(
      Object.keys(schema.properties).sort(by(written)),
    );
    const needed = written.filter(([, , mark]) => mark === "").map(([, argument]) => argument);
    expect(needed).toEqual([...eitherOr, ...(schema.required ?? [])]);
    expect(row?.[3] ?? "").toBe(waits ?? "");
  },
);

test("the manual has every failure and every signal", () => {
  for (const [code, { meaning, retry }] of Object.entries(failures)) {
    expect(rowOf(`\`${code}\``)?.slice(1)).toEqual([meaning, retry]);
  }
  for (const signal of Object.keys(signals)) expect(rowOf(`\`${signal}\``)).toBeDefined();
});

test("the manual has the limits", () => {
  expect(rowOf("a line from the program")?.[1]).toBe(`${MAX_LINE_BYTES / 2 ** 20} MiB`);
  expect(rowOf("nesting of objects and lists in a line")?.[1]).toBe(String(MAX_NESTING));
});

test("every line that the manual shows a program say can be read", () => {
  const said = [...manual.matchAll(/^(?:< )?(\{"jsonrpc".*"method":"(?!start|signal").*)$/gm)];

  const heard = said.map(([, line]) => readWireCall(Buffer.from(line!)));

  expect(heard.length).toBeGreaterThan(7);
  for (const call of heard) {
    expect(call).not.toHaveProperty("problem");
    const { name, args } = call as { name: keyof typeof syscalls; args: unknown };
    expect(syscalls[name].args.safeParse(args)).toMatchObject({ success: true });
  }
});

test("the Python client has a method for every call", () => {
  const python = textOf("sdk/python/aos.py");
  for (const name of Object.keys(syscalls))
    expect(python).toMatch(new RegExp(`    def ${name}\\(self`));
});

/** The schema's arguments in the order that the manual has them in; those it lacks come last. */
const by = (written: readonly RegExpExecArray[]) => (a: string, b: string) => {
  const place = (name: string) => {
    const at = written.findIndex(([, argument]) => argument === name);
    return at < 0 ? Infinity : at;
  };
  return place(a) - place(b) || 0;
};
