// Router: the views of the page and their addresses. The daemon serves the page at each of them
// (daemon/src/gateway/page.ts); a new view must be added there too.

import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { ApprovalsPage } from "./approvals/approvals-page.tsx";
import { RunPage } from "./run/run-page.tsx";
import { RunsPage } from "./runs/runs-page.tsx";
import { filterNames, type FilterName } from "./runs/filters.ts";
import { ErrorPage, NotFoundPage } from "./shell/error-page.tsx";
import { LoginGate } from "./shell/login-gate.tsx";

const root = createRootRoute({
  component: LoginGate,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

const runsRoute = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: RunsPage,
  /** What is shown is in the address, so that it can be kept and sent. */
  validateSearch: (search: Record<string, unknown>): { show?: FilterName; find?: string } => {
    const show = filterNames.find((name) => name === search["show"]);
    const find = search["find"];
    return {
      ...(show === undefined ? {} : { show }),
      ...(typeof find === "string" && find !== "" ? { find } : {}),
    };
  },
});

const runRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs/$pid",
  component: RunPage,
  validateSearch: (search: Record<string, unknown>): { seq?: number } => {
    const seq = Number(search["seq"] ?? NaN);
    return Number.isInteger(seq) && seq >= 0 ? { seq } : {};
  },
});

const approvalsRoute = createRoute({
  getParentRoute: () => root,
  path: "/approvals",
  component: ApprovalsPage,
});

export const router = createRouter({
  routeTree: root.addChildren([runsRoute, runRoute, approvalsRoute]),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
