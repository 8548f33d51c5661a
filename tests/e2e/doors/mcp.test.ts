// The daemon as an MCP server, over HTTP, in both revisions: what it offers, and to whom.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";
import { call, connect, eras, textOf, type McpClient } from "./mcp-caller.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
const tokens: Record<"olga" | "anna" | "vera" | "bob", string> = {
  olga: "",
  anna: "",
  vera: "",
  bob: "",
};
beforeAll(async () => {
  door = await openFrontDoor({ mcp: { approve: true } });
  tokens.olga = door.token("operator", { name: "olga" });
  tokens.anna = door.token("approver", { name: "anna" });
  tokens.vera = door.token("viewer", { name: "vera" });
  tokens.bob = door.token("operator", { name: "bob", tenant: "b" });
});
afterAll(async () => {
  await door.close();
  expect(door.mistakes).toEqual([]);
});

const LOOKING = ["get_agent_status", "list_runs", "list_agents", "list_approvals", "run_search"];
const namesOf = async (client: McpClient) =>
  (await client.listTools()).tools.map(({ name }) => name).sort();
/** A pid like any other, that nobody has. */
const NOBODY = "agt_00000000000000000000000000";

describe.each(eras)("%s", (era) => {
  const as = (who: keyof typeof tokens) => connect(door, tokens[who], era);

  test("every tool says what it is, takes, answers and does", async () => {
    const { tools } = await (await as("olga")).listTools();

    expect(tools.map(({ name }) => name).sort()).toEqual(
      [...LOOKING, "submit_goal", "cancel_agent", "approve", "deny", "memory_search"].sort(),
    );
    for (const tool of tools) {
      expect(tool.title).toMatch(/^[A-Z]/);
      expect(tool.description?.length).toBeGreaterThan(20);
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: "object" });
      expect(tool.annotations?.readOnlyHint).toBeTypeOf("boolean");
      expect(tool.annotations?.readOnlyHint && tool.annotations.destructiveHint).toBe(false);
    }
  });

  test("a goal is given, and what comes of it is the answer, with progress on the way", async () => {
    const client = await as("olga");
    const progress: number[] = [];

    const done = (await client.callTool(
      { name: "submit_goal", arguments: { agent: "echo", goal: "hello" } },
      { onprogress: ({ progress: so }) => progress.push(so) },
    )) as Awaited<ReturnType<typeof call>>;

    expect(done.isError).not.toBe(true);
    expect(done.structuredContent).toMatchObject({
      state: "completed",
      exitCode: 0,
      output: "hello",
    });
    expect(JSON.parse(textOf(done))).toEqual(done.structuredContent);
    expect(progress.length).toBeGreaterThan(0);
    expect(progress).toEqual([...new Set(progress)].sort((one, other) => one - other));
  });

  test("a run that failed is an error, and says why", async () => {
    const done = await call(await as("olga"), "submit_goal", { agent: "fail", input: { any: 1 } });

    expect(done.isError).toBe(true);
    expect(textOf(done)).toContain("it went wrong");
  });

  test("who waits no longer has the pid, to ask again and to cancel by", async () => {
    const client = await as("olga");

    const begun = await call(client, "submit_goal", { agent: "listen", goal: "", waitSeconds: 0 });
    const { pid } = begun.structuredContent as { pid: string };
    const later = await call(client, "get_agent_status", { pid });
    await call(client, "cancel_agent", { pid });
    const end = await call(client, "get_agent_status", { pid, waitSeconds: 60 });

    expect(later.structuredContent).toMatchObject({ pid, agent: "listen" });
    expect(later.structuredContent).not.toHaveProperty("exitCode");
    expect(end.structuredContent["state"]).not.toMatch(/running|waiting|pending/);
    expect((await door.kernel.show(pid)).endedAt).not.toBeNull();
  });

  test("a run that asks is not waited for; a viewer cannot answer, an approver can", async () => {
    const [olga, anna, vera] = [await as("olga"), await as("anna"), await as("vera")];

    const asks = await call(olga, "submit_goal", { agent: "ask", goal: "", waitSeconds: 600 });
    const { pid, questions } = asks.structuredContent as {
      pid: string;
      questions: { id: string; question: string }[];
    };
    const id = questions[0]!.id;
    const refused = await call(vera, "approve", { id });
    const isOpen = (await door.kernel.questions()).some((open) => open.id === id);
    const settled = await call(anna, "approve", { id, text: "fine" });
    const end = await call(vera, "get_agent_status", { pid, waitSeconds: 60 });

    expect(questions).toMatchObject([{ question: "may I?", choices: ["yes", "no"] }]);
    expect(textOf(refused)).toMatch(/EACCES: answer needs the role approver/);
    expect(isOpen).toBe(true);
    expect(settled.structuredContent).toMatchObject({ id, choice: "yes", settled: true });
    expect(end.structuredContent).toMatchObject({ state: "completed", output: "yes" });
  });

  test("what is denied is told to the run as a no", async () => {
    const client = await as("anna");
    const pid = await door.spawn("ask");
    await expect
      .poll(async () => (await door.kernel.questions()).some((open) => open.pid === pid))
      .toBe(true);
    const listed = await call(client, "list_approvals");
    const open = listed.structuredContent["questions"] as { id: string; pid: string }[];

    await call(client, "deny", { id: open.find((one) => one.pid === pid)!.id });

    expect((await door.kernel.wait(pid)).output).toBe("no");
  });

  test("a viewer is shown what it may call, and what it may not begins nothing", async () => {
    const client = await as("vera");
    const before = await door.kernel.list({});

    const tries = await Promise.all([
      call(client, "submit_goal", { agent: "echo", goal: "x" }),
      call(client, "cancel_agent", { pid: before[0]?.pid ?? NOBODY }),
      call(client, "memory_search", { query: "x" }),
    ]);

    expect(await namesOf(client)).toEqual([...LOOKING].sort());
    for (const tried of tries) expect(textOf(tried)).toMatch(/^EACCES: .*role operator/);
    expect(await door.kernel.list({})).toEqual(before);
  });

  test("what runs have written to memory is found by its words, and only by their tenant", async () => {
    const note = `the ferry of ${era} leaves at nine`;
    await door.kernel.wait(
      await door.kernel.spawn({
        manifest: {
          apiVersion: "aos/v1",
          kind: "Agent",
          name: "remember",
          program: "remember",
          capabilities: ["memory:/mem/shared/**:write"],
        },
        input: note,
      }),
    );

    const found = await call(await as("olga"), "memory_search", { query: `ferry ${era}` });
    const elsewhere = await call(await as("bob"), "memory_search", { query: `ferry ${era}` });

    expect(found.structuredContent["found"]).toMatchObject([
      { data: note, why: expect.stringContaining("ferry") },
    ]);
    expect(elsewhere.structuredContent).toMatchObject({ found: [], tenant: "b" });
  });

  test("what is another tenant's is not there: no run, no question, no resource", async () => {
    const theirs = await door.spawn("ask", "a");
    const mine = await door.spawn("listen", "b");
    await expect
      .poll(async () => (await door.kernel.questions()).some((open) => open.pid === theirs))
      .toBe(true);
    const { id } = (await door.kernel.questions()).find((open) => open.pid === theirs)!;
    const bob = await as("bob");
    const said = async (name: string, args: object) => textOf(await call(bob, name, args));

    const runs = await call(bob, "list_runs", { limit: 500 });
    const listed = (await bob.listResources()).resources.map(({ uri }) => uri);

    const pids = (runs.structuredContent["runs"] as { pid: string }[]).map(({ pid }) => pid);
    expect(pids).toContain(mine);
    expect(pids).not.toContain(theirs);
    expect(listed).toContain(`aos://runs/${mine}`);
    expect(listed).not.toContain(`aos://runs/${theirs}`);
    for (const name of ["get_agent_status", "cancel_agent"])
      expect((await said(name, { pid: theirs })).replaceAll(theirs, NOBODY)).toBe(
        await said(name, { pid: NOBODY }),
      );
    expect(await said("approve", { id })).toMatch(/^ENOENT: no pending question has the id/);
    expect(await said("submit_goal", { agent: "echo", goal: "", tenant: "a" })).toMatch(/^ENOENT/);
    expect(await said("list_approvals", {})).not.toContain(id);
    const refusalOf = async (uri: string) => {
      const { code, message } = (await bob
        .readResource({ uri })
        .catch((error: unknown) => error)) as {
        code: number;
        message: string;
      };
      return { code, message: message.replaceAll(theirs, NOBODY) };
    };
    for (const rest of ["", "/journal"]) {
      const refused = await refusalOf(`aos://runs/${theirs}${rest}`);
      expect(refused).toEqual(await refusalOf(`aos://runs/${NOBODY}${rest}`));
      expect(refused.message).toMatch(/not found/i);
    }
    expect((await door.kernel.show(theirs)).endedAt).toBeNull();
  });

  test("a run and its journal can be read", async () => {
    const pid = await door.spawn("echo");
    await door.kernel.wait(pid);
    const client = await as("vera");
    const read = async (uri: string) =>
      ((await client.readResource({ uri })).contents[0] as { text: string }).text;

    const run = JSON.parse(await read(`aos://runs/${pid}`)) as object;
    const records = (await read(`aos://runs/${pid}/journal`)).trim().split("\n");
    const rest = (await read(`aos://runs/${pid}/journal?after=0`)).trim().split("\n");

    expect(run).toEqual(JSON.parse(JSON.stringify(await door.kernel.show(pid))));
    expect(records.map((line) => JSON.parse(line) as object)).toEqual(
      JSON.parse(JSON.stringify(await door.kernel.journal(pid))),
    );
    expect(rest).toEqual(records.slice(1));
  });

  test("what a tool does not take is refused with what it takes; a tool that is none, by the protocol", async () => {
    const client = await as("olga");

    const odd = await call(client, "get_agent_status", { pid: "@last", verbose: true });

    expect(textOf(odd)).toMatch(/^EINVAL: unknown argument verbose; get_agent_status takes pid/);
    await expect(call(client, "test_simple_text")).rejects.toMatchObject({ code: -32_602 });
  });
});
