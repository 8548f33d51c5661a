import type { HoldingReport } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { detailText } from "../detail-text.ts";
import { holderOf } from "../holder-of.ts";

const command: Command = async ({ args, client, out }) => {
  const report = await client.power(holderOf(args[0] ?? ""));
  const { pid, agent, label, colour, layers, holdings } = report;
  await out.data(report, () =>
    [
      detailText([
        ["process", pid],
        ["agent", agent],
        ["has read", label === null ? null : `${label} (${colour})`],
        ["policy", layers.length === 0 ? null : layers.join(", ")],
        ["holds", holdings.length === 0 ? "nothing" : null],
      ]),
      ...holdings.map(holdingText),
    ].join("\n\n"),
  );
};

export default command;

function holdingText(holding: HoldingReport): string {
  const { handle, state, by, givenAt, expiresAt, standing, reason, chain, label } = holding;
  const head = [
    `${handle} (${state}), granted by ${by} at ${givenAt}`,
    ...(expiresAt === null ? [] : [`until ${expiresAt}`]),
    ...(standing === null ? [] : [`permanent answer to ${standing}`]),
    ...(reason === null ? [] : [reason]),
    ...(label === "trusted/public" ? [] : [`the grantor had read ${label}`]),
  ].join(", ");
  const blocks = chain.flatMap(({ block, holder, revoked, expiresAt: ends, capabilities }) => [
    `  ${block}  ${holder}${revoked ? ", revoked" : ""}${ends === null ? "" : `, until ${ends}`}`,
    ...capabilities.map(({ text, uses }) => `    ${text}${uses === 0 ? "" : `  used ${uses}`}`),
  ]);
  return [head, ...blocks].join("\n");
}
