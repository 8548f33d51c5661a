// Machines of every kind, with package managers that the test wrote: what they were called with is in a
// file, and they bring a bwrap, or do not.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { offerBubblewrap, type SetupHost } from "./install-bubblewrap.ts";
import { installPlan, runPlan } from "./install-programs.ts";
import { offerSandbox } from "./offer-sandbox.ts";
import { runLine } from "./run-line.ts";

const BRINGS = 'touch "$HERE/bwrap"';

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-setup-"));
  said = [];
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** A command on the machine's PATH that notes how it was called. */
function command(name: string, does: string): void {
  const script = `#!/bin/sh\nHERE=${folder}\necho "${name} $*" >> "$HERE/called"\n${does}\n`;
  writeFileSync(join(folder, name), script, { mode: 0o755 });
}

const called = (): string[] =>
  existsSync(join(folder, "called"))
    ? readFileSync(join(folder, "called"), "utf8").trim().split("\n")
    : [];

const machine = (more: Partial<SetupHost> = {}): SetupHost => ({
  platform: "linux",
  path: folder,
  isRoot: true,
  hasTerminal: false,
  isInstalled: () => existsSync(join(folder, "bwrap")),
  say: (text) => void said.push(text),
  ask: async () => {
    throw new Error("nobody is to be asked");
  },
  run: (words) => runLine(words, { isShown: false, path: `${folder}:/usr/bin:/bin` }),
  ...more,
});

const person = (answer: boolean): Partial<SetupHost> => ({
  hasTerminal: true,
  ask: async (question) => {
    said.push(question);
    return answer;
  },
});

describe("root, and no terminal", () => {
  test.each([
    ["apt-get", ["apt-get update", "apt-get install -y --no-install-recommends bubblewrap"]],
    ["dnf", ["dnf install -y bubblewrap"]],
    ["microdnf", ["microdnf install -y bubblewrap"]],
    ["yum", ["yum install -y bubblewrap"]],
    ["apk", ["apk add bubblewrap"]],
    ["pacman", ["pacman -Sy --noconfirm --needed bubblewrap"]],
    ["zypper", ["zypper --non-interactive install bubblewrap"]],
  ])(
    "with %s it is installed at once, and the line is said (INSTALL-BUBBLEWRAP-2, INSTALL-BUBBLEWRAP-3)",
    async (name, lines) => {
      command(name, BRINGS);

      expect(await offerBubblewrap(machine())).toEqual({ kind: "installed" });
      expect(called()).toEqual(lines);
      expect(said.join("\n")).toContain(lines.join(" && "));
    },
  );

  test("offline the reason is told, nothing more is tried, and it does not fail (INSTALL-BUBBLEWRAP-1)", async () => {
    command("apt-get", 'echo "Could not resolve deb.example" >&2; exit 100');

    expect(await offerBubblewrap(machine())).toEqual({
      kind: "failed",
      line: "apt-get update && apt-get install -y --no-install-recommends bubblewrap",
      why: "apt-get update: the command exited with code 100: Could not resolve deb.example",
    });
    expect(called()).toEqual(["apt-get update"]);
  });

  test("a package manager that does well and brings nothing has failed (INSTALL-BUBBLEWRAP-1)", async () => {
    command("apk", "exit 0");

    expect(await offerBubblewrap(machine())).toMatchObject({
      kind: "failed",
      line: "apk add bubblewrap",
    });
  });

  test("a package manager that cannot be started has failed (INSTALL-BUBBLEWRAP-1)", async () => {
    writeFileSync(join(folder, "apk"), "#!/no/such/interpreter\n", { mode: 0o755 });

    expect(await offerBubblewrap(machine())).toMatchObject({ kind: "failed" });
  });

  test("a package manager that never ends is ended (INSTALL-BUBBLEWRAP-1)", async () => {
    command("apk", "exec sleep 1000");
    const run = (words: readonly string[]) =>
      runLine(words, { isShown: false, path: `${folder}:/usr/bin:/bin`, limitMs: 100 });

    expect(await offerBubblewrap(machine({ run }))).toMatchObject({
      kind: "failed",
      why: expect.stringContaining("did not end within 0.1 s"),
    });
  });
});

describe("nothing is run", () => {
  test("where it is there already", async () => {
    command("apk", BRINGS);
    writeFileSync(join(folder, "bwrap"), "");

    expect(await offerBubblewrap(machine())).toEqual({ kind: "there" });
    expect(called()).toEqual([]);
  });

  test("on a system that has another sandbox", async () => {
    command("apk", BRINGS);

    expect(await offerBubblewrap(machine({ platform: "darwin" }))).toEqual({
      kind: "not for this system",
    });
    expect(called()).toEqual([]);
  });

  test("where no package manager is known", async () => {
    expect(await offerBubblewrap(machine())).toEqual({ kind: "no package manager" });
  });

  test("for somebody who is not root and has no terminal: the line has sudo (INSTALL-BUBBLEWRAP-2, INSTALL-BUBBLEWRAP-3)", async () => {
    command("dnf", BRINGS);
    command("sudo", '"$@"');

    expect(await offerBubblewrap(machine({ isRoot: false }))).toEqual({
      kind: "left out",
      line: "sudo dnf install -y bubblewrap",
    });
    expect(called()).toEqual([]);
  });

  test("at a terminal where there is no sudo to run it with", async () => {
    command("dnf", BRINGS);

    expect(await offerBubblewrap(machine({ ...person(true), isRoot: false }))).toMatchObject({
      kind: "left out",
    });
    expect([called(), said]).toEqual([[], []]);
  });

  test.each([true, false])(
    "at a terminal when the person says no; root: %s (INSTALL-BUBBLEWRAP-2)",
    async (isRoot) => {
      command("apk", BRINGS);
      command("sudo", '"$@"');

      expect(await offerBubblewrap(machine({ ...person(false), isRoot }))).toEqual({
        kind: "left out",
        line: isRoot ? "apk add bubblewrap" : "sudo apk add bubblewrap",
      });
      expect(called()).toEqual([]);
      expect(said.join("\n")).toContain("apk add bubblewrap");
    },
  );
});

describe("at a terminal, when the person says yes", () => {
  test.each([
    ["sudo", "sudo"],
    ["doas", "doas"],
  ])("it is run with %s", async (name) => {
    command("apk", BRINGS);
    command(name, '"$@"');

    expect(await offerBubblewrap(machine({ ...person(true), isRoot: false }))).toEqual({
      kind: "installed",
    });
    expect(called()).toEqual([`${name} apk add bubblewrap`, "apk add bubblewrap"]);
  });

  test("a wrong password is told, and it does not fail (INSTALL-BUBBLEWRAP-1)", async () => {
    command("apk", BRINGS);
    command("sudo", 'echo "3 incorrect password attempts" >&2; exit 1');

    expect(await offerBubblewrap(machine({ ...person(true), isRoot: false }))).toMatchObject({
      kind: "failed",
      why: "sudo apk add bubblewrap: the command exited with code 1: 3 incorrect password attempts",
    });
  });
});

describe("aos up", () => {
  test("installs it at a terminal when the person says yes, and says so", async () => {
    command("apk", BRINGS);

    await offerSandbox(machine(person(true)));

    expect(called()).toEqual(["apk add bubblewrap"]);
    expect(said.at(-1)).toContain("bubblewrap is installed");
  });

  test("OFFER-SANDBOX-1: without a terminal nothing is run, not even for root", async () => {
    command("apk", BRINGS);

    await offerSandbox(machine({ isRoot: true }));

    expect([called(), said]).toEqual([[], []]);
  });

  test("a refusal leaves the line to type", async () => {
    command("apk", BRINGS);

    await offerSandbox(machine(person(false)));

    expect(called()).toEqual([]);
    expect(said.at(-1)).toBe("to install it later: apk add bubblewrap");
  });
});

describe("aos doctor --fix", () => {
  test("lists are read once, names are those of the package manager, and one failure stops no other", async () => {
    command("apt-get", '[ "$4" = jq ] && { echo "no such package" >&2; exit 100; }; exit 0');

    const plan = installPlan(machine(), ["rg", "jq", "git"])!;
    const problems = await runPlan(plan, machine());

    const install = "apt-get install -y --no-install-recommends";
    expect(called()).toEqual([
      "apt-get update",
      `${install} ripgrep`,
      `${install} jq`,
      `${install} git`,
    ]);
    expect(plan.line).toBe(called().join(" && "));
    expect(problems).toEqual([expect.stringContaining("no such package")]);
  });

  test("INSTALL-PROGRAMS-1: a program without a row is in no line", () => {
    command("apk", BRINGS);

    const plan = installPlan(machine(), ["jq; rm -rf /", "$(id)", "--force", "pandoc"]);

    expect(plan?.line).toBe("apk add pandoc-cli");
  });

  test("INSTALL-PROGRAMS-2: who is not root has sudo, which asks only at a terminal", () => {
    command("dnf", BRINGS);
    const host = machine({ isRoot: false });

    expect(installPlan(host, ["ffmpeg"])?.line).toBe("sudo -n dnf install -y ffmpeg-free");
    expect(installPlan({ ...host, hasTerminal: true }, ["jq"])?.line).toBe(
      "sudo dnf install -y jq",
    );
  });

  test("brew is run without sudo; with no package manager there is no plan", () => {
    expect(installPlan(machine(), ["jq"])).toBeUndefined();

    command("brew", BRINGS);

    expect(installPlan(machine({ isRoot: false }), ["rg"])?.line).toBe("brew install ripgrep");
  });
});
