// What a person's yes covers while the approved call runs: what was shown with it, under the rules that
// asked, until the call has ended (JUDGE-4).

import type { DeviceContext, Label, QuestionAbout, SysError, Tool, Touch } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { attenuateBlock, parseCapability } from "../capability/index.ts";
import { execArgs, gateOf, saidBy } from "../../../tests/helpers/kernel/gate.ts";
import { TEST_NOW, toolOf } from "../../../tests/helpers/kernel/process.ts";

const RED: Label = { integrity: "untrusted", secrecy: "public" };
const EGRESS = {
  id: "egress",
  ask: "sink:egress",
  when: 'label.integrity == "untrusted" && !pinned',
};
const http = (resource: string, verb = "get"): Touch => ({ kind: "http", resource, verb });
const file = (resource: string, verb = "read"): Touch => ({ kind: "file", resource, verb });
const secret = (resource: string): Touch => ({ kind: "secret", resource, verb: "use" });

/** The message of each refusal, or `ok`. */
const trying =
  (touches: readonly Touch[], before: (context: DeviceContext) => void = () => {}): Tool["run"] =>
  async (_args, context) => {
    before(context);
    return touches.map((touch) => {
      try {
        context.authorize(touch);
        return "ok";
      } catch (error) {
        return (error as SysError).message;
      }
    });
  };

const grantOf = (text: string) =>
  attenuateBlock(null, [parseCapability(text)], { id: "late", mintedAt: TEST_NOW });

const online = (touches: readonly Touch[], more: Partial<Tool> = {}): Tool =>
  toolOf("browse", { sinks: () => ["egress"], run: trying(touches), ...more });

interface Wish {
  readonly tool: Tool;
  readonly capabilities?: readonly string[];
  readonly rules?: readonly object[];
  readonly label?: Label;
}

const under = ({ tool, capabilities = [], rules = [EGRESS], label = RED }: Wish) =>
  gateOf({
    capabilities: ["tool:*:call", ...capabilities],
    rules,
    tools: [tool],
    says: () => saidBy("ada"),
    label,
  });

const shownIn = ({ asked }: ReturnType<typeof gateOf>) =>
  (asked[0]!.draft.about as unknown as QuestionAbout).runs!.reach;

describe("a call that goes outside and names no host", () => {
  test("reaches the hosts that were shown, with their verbs, and no others", async () => {
    const tool = online([
      http("a.com:443/one"),
      http("b.a.com:443/two", "post"),
      http("a.com:443/three", "delete"),
      http("evil.com:443/"),
    ]);
    const gate = under({ tool, capabilities: ["http:a.com:get", "http:*.a.com:get,post{max:9}"] });

    const [one, two, three, evil] = (await gate.pass("exec", execArgs("browse"))) as string[];

    expect(shownIn(gate)).toEqual(["http:*.a.com/**:get,post", "http:a.com/**:get"]);
    expect([one, two]).toEqual(["ok", "ok"]);
    expect(three).toContain("may not DELETE a.com:443/three");
    expect(evil).toContain("holds no `http:` capability that covers");
  });

  test("does not reach what was granted after the yes", async () => {
    const late = online([http("late.com:443/")]);
    const gate: ReturnType<typeof gateOf> = under({
      tool: {
        ...late,
        run: trying([http("late.com:443/")], () => {
          gate.process.holdings.add({ handle: "cap_late", block: grantOf("http:late.com:get") });
        }),
      },
    });

    const [said] = (await gate.pass("exec", execArgs("browse"))) as string[];

    expect(said).toBe(
      "the call wants to GET late.com:443/, which was not shown in the approved question (rule org/egress)",
    );
  });

  test("sees its files: the rule asked about the call, and not about them", async () => {
    const tool = online([file("/work/a"), file("/etc/passwd")]);
    const gate = under({ tool, capabilities: ["file:/work/**:read"] });

    const [own, other] = (await gate.pass("exec", execArgs("browse"))) as string[];

    expect(own).toBe("ok");
    expect(other).toContain("holds no `file:` capability that covers");
  });

  test("uses the secrets that it names, and no other that the process holds", async () => {
    const tool = online([secret("KEY"), secret("OTHER")], { touches: () => [secret("KEY")] });
    const gate = under({ tool, capabilities: ["secret:*:use"] });

    const [named, other] = (await gate.pass("exec", execArgs("browse"))) as string[];

    expect((gate.asked[0]!.draft.about as unknown as QuestionAbout).touches).toContain(
      "secret:KEY:use",
    );
    expect(named).toBe("ok");
    expect(other).toContain("use the secret OTHER, which was not shown");
  });
});

test("a call that names its host reaches that host by redirects, and not another that is granted", async () => {
  const tool = online([http("a.com:443/next"), http("a.com:443/", "post"), http("b.com:443/")], {
    touches: () => [http("a.com:443/")],
  });
  const gate = under({ tool, capabilities: ["http:*:request"] });

  const [next, posted, other] = (await gate.pass("exec", execArgs("browse"))) as string[];

  expect(shownIn(gate)).toEqual(["http:a.com:443/**:get,head"]);
  expect(next).toBe("ok");
  expect(posted).toContain("POST to a.com:443/, which was not shown");
  expect(other).toContain("GET b.com:443/, which was not shown");
});

test("a name that leads to an address which is granted by its number is covered", async () => {
  const tool = online([http("10.0.0.7:8080/x"), http("c.com:443/")], {
    touches: () => [http("intranet:8080/x")],
  });
  const granted = ["http:intranet:8080:get", "http:10.0.0.7:8080:get", "http:c.com:get"];
  const gate = under({ tool, capabilities: granted });

  const [address, other] = (await gate.pass("exec", execArgs("browse"))) as string[];

  expect(address).toBe("ok");
  expect(other).toContain("was not shown");
});

test("a rule that names a file is answered for the files that were shown, and for what the tool may touch", async () => {
  const rules = [{ id: "dir", ask: "file:/work/dir/**:write" }];
  const tool = toolOf("put", {
    touches: () => [file("/work/dir/sub/a", "write")],
    mayTouch: () => [file("/work/dir/sub", "write")],
    run: trying([file("/work/dir/sub", "write"), file("/work/dir/b", "write")]),
  });
  const gate = under({ tool, rules, capabilities: ["file:/work/**:write"] });

  const [folder, other] = (await gate.pass("exec", execArgs("put"))) as string[];

  expect(shownIn(gate)).toEqual(["file:/work/dir/sub:write"]);
  expect(folder).toBe("ok");
  expect(other).toContain("write /work/dir/b, which was not shown");
});

test("what the process reads while it runs may make another rule ask: that was not answered", async () => {
  const secrecy = { id: "leaves", ask: "sink:egress", when: 'label.secrecy == "confidential"' };
  const gate: ReturnType<typeof gateOf> = under({
    rules: [EGRESS, secrecy],
    capabilities: ["http:a.com:get"],
    tool: {
      ...online([]),
      run: trying([http("a.com:443/")], () => {
        gate.process.label = { integrity: "untrusted", secrecy: "confidential" };
      }),
    },
  });

  const [said] = (await gate.pass("exec", execArgs("browse"))) as string[];

  expect(said).toContain("which rule org/leaves asks about; the approval is older");
});

test("a rule that forbids is not answered by any yes", async () => {
  const no = { id: "no", deny: "http:evil.com" };
  const tool = online([http("evil.com:443/")]);
  const gate = under({ tool, rules: [EGRESS, no], capabilities: ["http:*:get"] });

  expect(await gate.pass("exec", execArgs("browse"))).toEqual([
    expect.stringContaining("the policy forbids this exec call"),
  ]);
});

test("after the call nothing is covered any more", async () => {
  let kept: DeviceContext | undefined;
  const tool = online([], {
    run: async (_args, context) => {
      kept = context;
      context.authorize(http("a.com:443/"));
      return "done";
    },
  });
  const gate = under({ tool, capabilities: ["http:a.com:get"] });

  expect(await gate.pass("exec", execArgs("browse"))).toBe("done");
  expect(() => kept!.authorize(http("a.com:443/more"))).toThrow("the call has ended");
  expect(kept!.permits(http("a.com:443/"))).toBe(false);
});

test("nobody was asked: nothing is covered, and the refusal says so", async () => {
  const rules = [{ id: "hosts", ask: "http:a.com" }];
  const tool = online([http("a.com:443/")]);
  const gate = under({ tool, rules, capabilities: ["http:a.com:get"] });

  expect(await gate.pass("exec", execArgs("browse"))).toEqual([
    "the call wants to GET a.com:443/, which needs a person's approval (rule org/hosts)",
  ]);
});

test("a pin that stands for a person covers the same, and no more", async () => {
  const tool = online([http("a.com:443/"), file("/work/a"), http("b.com:443/")], {
    touches: () => [http("a.com:443/start")],
    authority: ["url"],
  });
  const capabilities = ['tool:browse:call{pin.url:"a"}', "http:*:get", "file:/work/**:read"];
  const gate = gateOf({ capabilities, rules: [EGRESS], tools: [tool], label: RED });

  const [own, seen, other] = (await gate.pass(
    "exec",
    execArgs("browse", { url: "a" }),
  )) as string[];

  expect(gate.asked).toEqual([]);
  expect([own, seen]).toEqual(["ok", "ok"]);
  expect(other).toContain("was not shown");
});
