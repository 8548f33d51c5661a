import type { Command } from "../command.ts";
import { watchGoal } from "../watch-goal.ts";

const command: Command = async (call) => watchGoal(call, call.args[0] ?? "");

export default command;
