import { isEnded, processStates } from "@aos/protocol/words";
import type { BudgetReport, TenantReport } from "@aos/protocol";
import type { Command } from "../command.ts";
import { money } from "../money.ts";
import { ceilingSource } from "../format-tenant.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, out }) => {
  const tenants = await client.tenants();
  await out.data(tenants, () =>
    table(
      ["NAME", "CEILING", "LIVE", "ENDED", "+STATES", "COST", "TOKENS", "+TOOL CALLS", "LEFT"],
      tenants.map((tenant) => {
        const { name, states, spent, budgets } = tenant;
        return [
          name,
          ceilingSource(tenant),
          String(sum(states, false)),
          String(sum(states, true)),
          processStates
            .flatMap((state) => (states[state] ? [`${states[state]} ${state}`] : []))
            .join(", "),
          money(spent.usd),
          String(spent.tokens),
          String(spent.toolCalls),
          budgets.map(leftOf).join(", "),
        ];
      }),
      out,
    ),
  );
};

export default command;

const sum = (states: TenantReport["states"], ended: boolean): number =>
  processStates
    .filter((state) => isEnded(state) === ended)
    .reduce((all, state) => all + (states[state] ?? 0), 0);

function leftOf({ per, unit, limit, spent, reserved }: BudgetReport): string {
  const shown = (value: number) => (unit === "usd" ? money(value) : `${value} ${unit}`);
  const left = Math.max(0, limit - spent - reserved);
  return `${shown(left)} of ${shown(limit)} ${per === "ever" ? "for ever" : `a ${per}`}`;
}
