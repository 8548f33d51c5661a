import { writeFileSync } from "node:fs";
import { processStates, type ProcessState, SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readDurationOption, readNumberOption } from "../read-number.ts";

const command: Command = async ({ client, options, out }) => {
  const [agent, outcome, tenant] = ["agent", "outcome", "tenant"].map((name) => options.text(name));
  const back = readDurationOption(options.text("since"), "--since");
  const limit = readNumberOption(options.text("limit"), "--limit");
  const made = await client.evalDataset({
    ...(agent === undefined ? {} : { agent }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(outcome === undefined ? {} : { outcome: stateNamed(outcome) }),
    ...(back === undefined ? {} : { since: Math.max(0, Date.now() - back) }),
    ...(limit === undefined ? {} : { limit }),
  });
  const text = made.cases.map((one) => `${JSON.stringify(one)}\n`).join("");
  const file = options.text("out");
  if (file === undefined) await out.data(made, () => text);
  else {
    write(file, text);
    await out.data({ file, cases: made.cases.length, left: made.left }, () => file);
  }
  if (made.left > 0) out.note(`${made.left} runs are not in it: their input is no longer kept`);
  out.note(`${made.cases.length} cases; read them: what users wrote is in them`);
};

export default command;

function stateNamed(text: string): ProcessState {
  const found = processStates.find((state) => state === text);
  if (found !== undefined) return found;
  throw new SysError("EINVAL", `--outcome: ${text} is no state`, {
    hint: `one of ${processStates.join(", ")}`,
  });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new SysError("EINVAL", `cannot write ${file}: ${(error as Error).message}`);
  }
}
