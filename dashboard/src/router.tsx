// Router: the views of the page and their addresses. What a view shows is in its address, so that it can be kept and
// sent. The daemon serves the page at every address that is not a route of its own (daemon/src/gateway/page.ts).

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import type { CostGroup } from "@aos/protocol/words";
import { ApprovalsPage } from "./approvals/approvals-page.tsx";
import { costGroups, isCostSpan, type CostSpan } from "./cost/cost-choices.ts";
import { OverviewPage } from "./overview/overview-page.tsx";
import { RunPage } from "./run/run-page.tsx";
import { runViewNames, type RunView } from "./run/run-views.ts";
import { RunsPage } from "./runs/runs-page.tsx";
import { filterNames, timeSpanNames, type RunSearch } from "./runs/filters.ts";
import { ErrorPage, NotFoundPage } from "./shell/error-page.tsx";
import { LoginGate } from "./shell/login-gate.tsx";

const root = createRootRoute({
  component: LoginGate,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

const under = <Path extends string>(path: Path) => ({ getParentRoute: () => root, path }) as const;

/** `{ [name]: text }`, or nothing where the address has no such text. */
const textOf = <Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { [key in Name]?: string } => {
  const text = search[name];
  return typeof text === "string" && text !== "" ? ({ [name]: text } as never) : {};
};

const numberOf = <Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { [key in Name]?: number } => {
  const number = Number(search[name] ?? NaN);
  return Number.isInteger(number) && number >= 0 ? ({ [name]: number } as never) : {};
};

const routes = [
  createRoute({ ...under("/"), component: OverviewPage }),
  createRoute({
    ...under("/runs"),
    component: RunsPage,
    validateSearch: (search: Record<string, unknown>): RunSearch => {
      const show = filterNames.find((name) => name === search["show"]);
      const span = timeSpanNames.find((name) => name === search["span"]);
      return {
        ...(show === undefined ? {} : { show }),
        ...(span === undefined ? {} : { span }),
        ...textOf(search, "find"),
      };
    },
  }),
  createRoute({
    ...under("/runs/$pid"),
    component: RunPage,
    validateSearch: (
      search: Record<string, unknown>,
    ): { view?: RunView; seq?: number; at?: number } => {
      const view = runViewNames.find((name) => name === search["view"]);
      return {
        ...(view === undefined ? {} : { view }),
        ...numberOf(search, "seq"),
        ...numberOf(search, "at"),
      };
    },
  }),
  createRoute({ ...under("/approvals"), component: ApprovalsPage }),
  createRoute({
    ...under("/compare"),
    component: lazyRouteComponent(() => import("./compare/compare-page.tsx"), "ComparePage"),
    validateSearch: (search: Record<string, unknown>): { a?: string; b?: string } => ({
      ...textOf(search, "a"),
      ...textOf(search, "b"),
    }),
  }),
  createRoute({
    ...under("/goals"),
    component: lazyRouteComponent(() => import("./goals/goals-page.tsx"), "GoalsPage"),
  }),
  createRoute({
    ...under("/goals/$pid"),
    component: lazyRouteComponent(() => import("./goals/goal-page.tsx"), "GoalPage"),
  }),
  createRoute({
    ...under("/agents"),
    component: lazyRouteComponent(() => import("./agents/agents-page.tsx"), "AgentsPage"),
  }),
  createRoute({
    ...under("/agents/$name"),
    component: lazyRouteComponent(() => import("./agents/agent-page.tsx"), "AgentPage"),
  }),
  createRoute({
    ...under("/memory"),
    component: lazyRouteComponent(() => import("./memory/memory-page.tsx"), "MemoryView"),
    validateSearch: (search: Record<string, unknown>): { find?: string; path?: string } => ({
      ...textOf(search, "find"),
      ...textOf(search, "path"),
    }),
  }),
  createRoute({
    ...under("/messages"),
    component: lazyRouteComponent(() => import("./messages/messages-page.tsx"), "MessagesPage"),
  }),
  createRoute({
    ...under("/policy"),
    component: lazyRouteComponent(() => import("./policy/policy-page.tsx"), "PolicyPage"),
  }),
  createRoute({
    ...under("/access"),
    component: lazyRouteComponent(() => import("./access/access-page.tsx"), "AccessPage"),
    validateSearch: (search: Record<string, unknown>): { what?: string } => textOf(search, "what"),
  }),
  createRoute({
    ...under("/cost"),
    component: lazyRouteComponent(() => import("./cost/cost-page.tsx"), "CostPage"),
    validateSearch: (search: Record<string, unknown>): { by?: CostGroup; span?: CostSpan } => {
      const by = costGroups.find(({ value }) => value === search["by"])?.value;
      const { span } = search;
      return { ...(by === undefined ? {} : { by }), ...(isCostSpan(span) ? { span } : {}) };
    },
  }),
  createRoute({
    ...under("/models"),
    component: lazyRouteComponent(() => import("./models/models-page.tsx"), "ModelsPage"),
  }),
  createRoute({
    ...under("/tools"),
    component: lazyRouteComponent(() => import("./tools/tools-page.tsx"), "ToolsPage"),
    validateSearch: (search: Record<string, unknown>): { find?: string } => textOf(search, "find"),
  }),
  createRoute({
    ...under("/audit"),
    component: lazyRouteComponent(() => import("./audit/audit-page.tsx"), "AuditPage"),
  }),
  createRoute({
    ...under("/system"),
    component: lazyRouteComponent(() => import("./system/system-page.tsx"), "SystemPage"),
  }),
] as const;

export const router = createRouter({ routeTree: root.addChildren(routes) });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
