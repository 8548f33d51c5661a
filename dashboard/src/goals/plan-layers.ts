// PlanLayers: the subtasks of a plan in layers.
//
// PLAN-LAYERS-1  A subtask is one layer below the lowest that it depends on. What depends on itself, which no plan that
//     was accepted has, stands in the last layer.

import type { SubtaskReport } from "@aos/protocol/words";

export function planLayers(subtasks: readonly SubtaskReport[]): SubtaskReport[][] {
  const layers: SubtaskReport[][] = [];
  const placed = new Set<string>();
  const known = new Set(subtasks.map(({ id }) => id));
  let left = [...subtasks];
  while (left.length > 0) {
    const free = left.filter(({ dependsOn }) =>
      dependsOn.every((id) => placed.has(id) || !known.has(id)),
    );
    const layer = free.length === 0 ? left : free; // PLAN-LAYERS-1
    layers.push(layer);
    for (const { id } of layer) placed.add(id);
    left = left.filter(({ id }) => !placed.has(id));
  }
  return layers;
}
