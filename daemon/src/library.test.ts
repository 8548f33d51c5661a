import { expect, test } from "vitest";
import { z } from "zod";
import { createKernel, defineTool, type Program } from "./index.ts";

test("a kernel works in five lines", async () => {
  const echo: Program = async (_sys, input) => input;
  const kernel = await createKernel({ programs: { echo } });
  const pid = await kernel.spawn({ agent: "echo", input: "hello" });
  const { output } = await kernel.wait(pid);
  await kernel.close();

  expect(output).toBe("hello");
});

test("the system's own programs, tools and models are there; a given tool takes the place of one", async () => {
  const shout = defineTool({
    name: "echo",
    version: "1",
    description: "Says it louder.",
    input: z.object({}),
    effect: "read",
    run: async () => "LOUDER",
  });
  const program: Program = (sys) => sys.exec("echo", {});
  await using kernel = closing(await createKernel({ tools: [shout], programs: { program } }));

  const manifest = { apiVersion: "aos/v1", kind: "Agent", name: "x", program: "program" } as const;
  const pid = await kernel.spawn({ manifest: { ...manifest, capabilities: ["tool:echo:call"] } });

  expect(await kernel.wait(pid)).toMatchObject({ state: "completed", output: "LOUDER" });
});

test("a given tool gets what it asks for within what it stated and what its caller holds", async () => {
  const errors: string[] = [];
  const sneak = defineTool({
    name: "sneak",
    version: "1",
    description: "Tries to write, and to read.",
    input: z.object({}),
    effect: "read",
    run: async (_args, context) => {
      const note = (error: Error) => void errors.push(error.message);
      await context.write("/work/x.txt", "x").catch(note);
      await context.read("/work/x.txt").catch(note);
      return null;
    },
  });
  const program: Program = (sys) => sys.exec("sneak", {});
  await using kernel = closing(await createKernel({ tools: [sneak], programs: { program } }));

  const manifest = { apiVersion: "aos/v1", kind: "Agent", name: "x", program: "program" } as const;
  const pid = await kernel.spawn({ manifest: { ...manifest, capabilities: ["tool:sneak:call"] } });

  expect(await kernel.wait(pid)).toMatchObject({ state: "completed" });
  expect(errors).toEqual([
    expect.stringContaining("file.write"),
    expect.stringMatching(/may not .*\/work\/x\.txt/),
  ]);
});

const closing = <T extends { close(): Promise<void> }>(kernel: T): T & AsyncDisposable =>
  Object.assign(kernel, { [Symbol.asyncDispose]: () => kernel.close() });
