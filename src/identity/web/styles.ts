/** The style sheet of the server's pages. */
import { tokens } from './tokens.ts';

const base = `*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--bg); color: var(--text); font: var(--fw-normal) var(--fs-14)/var(--lh-14) var(--font-ui);
  font-feature-settings: "cv05", "cv11", "ss03"; -webkit-font-smoothing: antialiased;
}
h1, h2, h3, p, ul, ol, dl, dd, pre { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: var(--fs-20); line-height: var(--lh-20); font-weight: var(--fw-strong); letter-spacing: -0.012em; }
h2 { font-size: var(--fs-13); line-height: var(--lh-13); font-weight: var(--fw-strong); }
h1:focus, h2:focus { outline: none; }
a { color: var(--accent); text-underline-offset: 3px; text-decoration-thickness: 1px; text-decoration-color: var(--accent-line); }
a:hover { text-decoration-color: currentColor; }
code, .mono {
  font-family: var(--font-mono); font-size: 0.92em; font-feature-settings: normal; font-variant-ligatures: none; overflow-wrap: anywhere;
}
button, input { font: inherit; color: inherit; letter-spacing: inherit; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: var(--r-2); }
time { font-variant-numeric: tabular-nums; }
bdi { overflow-wrap: anywhere; }
[hidden] { display: none !important; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip {
  position: fixed; left: var(--s-5); top: -60px; z-index: 60; padding: var(--s-4) var(--s-6); background: var(--text);
  color: var(--surface); border-radius: var(--r-2);
}
.skip:focus { top: var(--s-5); }
.sprite { position: absolute; width: 0; height: 0; }
.i {
  width: 16px; height: 16px; flex: none; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round;
}
.muted { color: var(--text-2); }
.faint { color: var(--text-3); }
.small { font-size: var(--fs-12); line-height: var(--lh-12); }
.row { display: flex; align-items: center; gap: var(--s-4); min-width: 0; }
.between { justify-content: space-between; }
.grow { flex: 1; min-width: 0; }
.esc {
  font-family: var(--font-mono); font-size: 0.82em; padding: 0 3px; border-radius: var(--r-1); background: var(--warn-soft);
  color: var(--warn); box-shadow: inset 0 0 0 1px var(--warn-line); white-space: nowrap;
}
.badge {
  display: inline-flex; align-items: center; gap: var(--s-2); padding: 0 var(--s-3); border-radius: var(--r-1); font-size: var(--fs-11);
  line-height: 18px; font-weight: var(--fw-medium); white-space: nowrap; background: var(--accent-soft); color: var(--accent);
}
.badge .i { width: 12px; height: 12px; }
dd .badge { vertical-align: 1px; }
.badge--warn { background: var(--warn-soft); color: var(--warn); }
`;

const controls = `.btn {
  display: inline-flex; align-items: center; justify-content: center; gap: var(--s-3); min-height: 32px; padding: 0 var(--s-5);
  border: 1px solid var(--line-control); border-radius: var(--r-2); background: var(--surface); color: var(--text); font-size: var(--fs-13);
  line-height: 1; font-weight: var(--fw-medium); text-decoration: none; white-space: nowrap; cursor: pointer;
  transition: background var(--t-fast) var(--ease), border-color var(--t-fast) var(--ease);
}
.btn:hover { background: var(--surface-sub); }
.btn--primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.btn--primary:hover { background: var(--accent-hover); border-color: var(--accent-hover); }
.btn--danger { background: var(--bad); border-color: var(--bad); color: var(--on-bad); }
.btn--danger:hover { background: var(--bad-hover); border-color: var(--bad-hover); }
.btn--quiet { border-color: transparent; background: transparent; color: var(--text-2); }
.btn--quiet:hover { background: var(--surface-press); color: var(--text); }
.btn--lg { min-height: 40px; padding: 0 var(--s-6); font-size: var(--fs-14); }
.btn--wide { width: 100%; }
.btn[aria-disabled="true"], .btn:disabled {
  color: var(--text-3); background: var(--surface-sub); border-color: var(--line-strong); cursor: not-allowed;
}
.btn--primary[data-arming][aria-disabled="true"] {
  background: var(--accent-soft); border-color: var(--accent-line); color: var(--accent); cursor: progress;
}
.btn--danger[data-arming][aria-disabled="true"] {
  background: var(--bad-soft); border-color: var(--bad-line); color: var(--bad); cursor: progress;
}
.icon-btn {
  display: inline-grid; place-items: center; width: 30px; height: 30px; padding: 0; border: 0; border-radius: var(--r-2);
  background: transparent; color: var(--text-2); cursor: pointer;
}
.icon-btn:hover { background: var(--surface-press); color: var(--text); }
.theme-btn .i-sun { display: none; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) .theme-btn .i-sun { display: block; }
  :root:not([data-theme="light"]) .theme-btn .i-moon { display: none; }
}
:root[data-theme="dark"] .theme-btn .i-sun { display: block; }
:root[data-theme="dark"] .theme-btn .i-moon { display: none; }
:root:not([data-js]) .needs-js, :root[data-js] .no-js { display: none; }
.avatar {
  display: inline-grid; place-items: center; width: 24px; height: 24px; border-radius: 50%; background: var(--surface-press);
  color: var(--text-2); font-size: 10px; font-weight: var(--fw-strong); letter-spacing: 0.02em; flex: none;
}
.avatar--32 { width: 32px; height: 32px; font-size: var(--fs-12); }
.avatar--me { background: var(--accent-soft); color: var(--accent); }
.spin {
  width: 14px; height: 14px; border-radius: 50%; border: 2px solid currentColor; border-right-color: transparent;
  animation: spin 800ms linear infinite; flex: none;
}
.spin--20 { width: 20px; height: 20px; margin: var(--s-4); }
@keyframes spin { to { transform: rotate(1turn); } }
.input {
  width: 100%; min-height: 34px; padding: var(--s-3) var(--s-4); border: 1px solid var(--line-control); border-radius: var(--r-2);
  background: var(--surface); font-size: var(--fs-13); line-height: var(--lh-13);
}
.input::placeholder { color: var(--text-3); opacity: 1; }
.input:focus-visible { outline-offset: 0; border-color: var(--accent); }
.search { position: relative; width: 220px; }
.search .i { position: absolute; left: 10px; top: 50%; margin-top: -8px; color: var(--text-3); }
.search .input { padding-left: 32px; }
.notice {
  display: grid; grid-template-columns: 16px minmax(0, 1fr); gap: var(--s-2) var(--s-4); align-items: start; padding: var(--s-5);
  border: 1px solid var(--line); border-radius: var(--r-2); background: var(--surface-sub); font-size: var(--fs-13);
  line-height: var(--lh-13);
}
.notice > .i { margin-top: 2px; }
.notice b { font-weight: var(--fw-strong); }
.notice--accent { background: var(--accent-soft); border-color: var(--accent-line); }
.notice--accent > .i, .notice--accent b { color: var(--accent); }
.notice--warn { background: var(--warn-soft); border-color: var(--warn-line); }
.notice--warn > .i, .notice--warn b { color: var(--warn); }
.devbar {
  display: flex; align-items: center; justify-content: center; gap: var(--s-4); padding: 5px var(--s-6); background: var(--warn-soft);
  color: var(--warn); font-size: var(--fs-12); line-height: var(--lh-12); text-align: center; border-bottom: 1px solid var(--warn-line);
}
.devbar .i { width: 14px; height: 14px; }
.devbar--bad { background: var(--bad-soft); color: var(--bad); border-color: var(--bad-line); font-weight: var(--fw-medium); }
`;

const pages = `.brand {
  display: flex; align-items: center; gap: var(--s-4); font-weight: var(--fw-strong); letter-spacing: -0.01em; color: var(--text);
  text-decoration: none;
}
.brand svg { width: 22px; height: 22px; flex: none; }
.brand .b1 { fill: var(--accent); }
.brand .b2 { fill: none; stroke: var(--on-accent); stroke-width: 2.2; stroke-linecap: round; }
.pbar {
  display: flex; align-items: center; gap: var(--s-7); min-height: 56px; padding: 0 var(--s-8); background: var(--surface);
  border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 20;
}
.pbar nav { display: flex; gap: var(--s-2); align-self: stretch; }
.pbar nav a {
  display: inline-flex; align-items: center; gap: var(--s-3); padding: 0 var(--s-5); color: var(--text-2); font-size: var(--fs-13);
  font-weight: var(--fw-medium); text-decoration: none; border-block: 2px solid transparent;
}
.pbar nav a:hover { color: var(--text); }
.pbar nav a[aria-current="page"] { color: var(--text); border-bottom-color: var(--accent); }
.count {
  min-width: 18px; padding: 0 5px; border-radius: var(--r-full); background: var(--accent); color: var(--on-accent);
  font-size: var(--fs-11); line-height: 18px; text-align: center; font-variant-numeric: tabular-nums;
}
.narrow { max-width: 640px; margin: 0 auto; padding: clamp(16px, 6vh, 64px) var(--s-6) var(--s-11); }
.narrow > * + * { margin-top: var(--s-6); }
.narrow > .after { margin-top: var(--s-5); text-align: center; }
.lead { max-width: 56ch; color: var(--text-2); }
.big { font-size: var(--fs-28); line-height: var(--lh-28); letter-spacing: -0.022em; }
.signin {
  display: grid; min-height: calc(100dvh - 29px); align-content: start; justify-items: center;
  padding: clamp(28px, 7vh, 84px) var(--s-6) var(--s-10);
}
.signin-in { width: 100%; max-width: 720px; }
.signin-in h1 { margin-top: var(--s-9); }
.signin-in .lead { margin-top: var(--s-3); }
.signin-in .foot { margin-top: var(--s-7); }
.signin-in > section { margin-top: var(--s-8); }
.signin-in > section > .row { margin-bottom: var(--s-4); min-height: 34px; }
.signin--small { align-content: center; min-height: calc(100dvh - 48px); }
.signin--small .signin-in { max-width: 400px; }
.signin--small h1 { margin-top: var(--s-8); }
.holds { white-space: nowrap; }
.signin-in .btn--lg { margin-top: var(--s-7); }
.signin-in .other {
  margin-top: var(--s-8); padding-top: var(--s-6); border-top: 1px solid var(--line); font-size: var(--fs-13); line-height: var(--lh-13);
  color: var(--text-2);
}
.people {
  display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); border: 1px solid var(--line); border-radius: var(--r-3);
  background: var(--surface); overflow: hidden;
}
.people > li { display: grid; }
.person {
  display: grid; grid-template-columns: 32px minmax(0, 1fr) auto; align-items: center; gap: var(--s-5); min-height: 58px;
  padding: var(--s-4) var(--s-5); border: 0; border-bottom: 1px solid var(--line); border-right: 1px solid var(--line);
  margin: 0 -1px -1px 0; background: transparent; text-align: left; cursor: pointer; width: calc(100% + 1px);
}
.person:hover { background: var(--surface-sub); }
.person:focus-visible { outline-offset: -2px; }
.person .i { color: var(--text-3); opacity: 0; }
.person:hover .i, .person:focus-visible .i { opacity: 1; }
.person b { display: block; font-weight: var(--fw-medium); }
.person small { display: block; font-size: var(--fs-12); line-height: var(--lh-12); color: var(--text-2); }
.card { border: 1px solid var(--line); border-radius: var(--r-3); background: var(--surface); overflow: hidden; }
.card > header {
  display: flex; align-items: center; justify-content: space-between; gap: var(--s-4); padding: var(--s-5) var(--s-6);
  border-bottom: 1px solid var(--line);
}
.card > .pad { padding: var(--s-6); }
.card > .pad > * + * { margin-top: var(--s-4); }
.item {
  display: grid; grid-template-columns: 24px minmax(0, 1fr) auto; gap: 0 var(--s-5); padding: var(--s-5) var(--s-6);
  border-bottom: 1px solid var(--line); color: var(--text); text-decoration: none; align-items: start; min-height: var(--tap);
}
li:last-child > .item { border-bottom: 0; }
.item:hover { background: var(--surface-sub); }
.item:focus-visible { outline-offset: -2px; }
.item .t1 { display: block; font-weight: var(--fw-medium); font-size: var(--fs-13); line-height: var(--lh-13); overflow-wrap: anywhere; }
.item .t2 { display: block; color: var(--text-2); font-size: var(--fs-12); line-height: var(--lh-12); }
.item .t3 { font-size: var(--fs-12); line-height: var(--lh-13); color: var(--text-3); font-variant-numeric: tabular-nums; }
.empty { padding: var(--s-9) var(--s-6); text-align: center; color: var(--text-2); }
.empty .i { width: 24px; height: 24px; color: var(--text-3); margin-bottom: var(--s-3); }
.empty h2 { color: var(--text); }
.address {
  display: flex; align-items: center; gap: var(--s-4); padding: var(--s-3) var(--s-3) var(--s-3) var(--s-5); border: 1px solid var(--line);
  border-radius: var(--r-2); background: var(--surface-sub); min-height: 44px;
}
.address code { flex: 1; }
`;

const approval = `.ap {
  border: 1px solid var(--line-strong); border-radius: var(--r-3); background: var(--surface); overflow: hidden;
  container-type: inline-size; transition: border-color var(--t-mid);
}
.ap--wait { border-color: var(--accent); box-shadow: 0 0 0 3px var(--accent-soft); }
.ap--danger { border-color: var(--bad); box-shadow: 0 0 0 3px var(--bad-soft); }
.ap-head { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: var(--s-2) var(--s-6); padding: var(--s-6); }
.ap-kind {
  display: flex; align-items: center; gap: var(--s-3); font-size: var(--fs-12); line-height: var(--lh-12); font-weight: var(--fw-medium);
}
.ap-head .ap-kind { color: var(--accent); margin: 0; }
.ap-kind .i { width: 14px; height: 14px; }
.ap--danger .ap-head .ap-kind, .ap-head .ap-kind.bad { color: var(--bad); }
.ap-head .ap-kind.ok { color: var(--ok); }
.ap-head .ap-kind.off { color: var(--text-2); }
.ap-head .ap-kind.warn { color: var(--warn); }
.ap-head h1, .ap-head h3 {
  font-size: var(--fs-16); line-height: var(--lh-16); letter-spacing: -0.006em; text-wrap: pretty; margin-top: var(--s-2);
  overflow-wrap: anywhere;
}
.ap-head p { color: var(--text-2); font-size: var(--fs-13); line-height: var(--lh-13); margin-top: var(--s-1); overflow-wrap: anywhere; }
.ring { position: relative; width: 44px; height: 44px; flex: none; }
.ring svg { width: 44px; height: 44px; transform: rotate(-90deg); display: block; }
.ring circle { fill: none; stroke-width: 3; }
.ring .tr { stroke: var(--surface-press); }
.ring .fg { stroke: var(--accent); stroke-linecap: round; transition: stroke-dashoffset 1s linear; }
.ring b {
  position: absolute; inset: 0; display: grid; place-items: center; font-size: var(--fs-11); font-weight: var(--fw-strong);
  font-variant-numeric: tabular-nums;
}
.ring--warn .fg { stroke: var(--warn); }
.ring--warn b { color: var(--warn); }
.ring--bad .fg { stroke: var(--bad); }
.ring--bad b { color: var(--bad); }
.ring--24, .ring--24 svg { width: 24px; height: 24px; }
.ring--24 b { display: none; }
@media (prefers-reduced-motion: reduce) {
  .ring .fg { transition: none; }
  .spin { animation: none; }
}
.diff { width: 100%; border-collapse: collapse; border-top: 1px solid var(--line); font-size: var(--fs-13); line-height: var(--lh-13); }
.diff th, .diff td { padding: var(--s-4) var(--s-5); text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
.diff th:first-child, .diff td:first-child { padding-left: var(--s-6); }
.diff tr > :last-child { padding-right: var(--s-6); }
.diff thead th {
  font-size: var(--fs-12); line-height: var(--lh-12); font-weight: var(--fw-medium); color: var(--text-3); background: var(--surface-sub);
  padding-block: 5px;
}
.diff tbody th { font-weight: var(--fw-normal); color: var(--text-2); width: 24%; overflow-wrap: anywhere; }
.diff td { width: 38%; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.diff .was { color: var(--text-2); }
.diff del { text-decoration: none; }
.diff ins {
  text-decoration: none; font-weight: var(--fw-strong); background: var(--ok-soft); color: var(--ok); padding: 1px 5px;
  border-radius: var(--r-1); margin-left: -5px; box-decoration-break: clone; -webkit-box-decoration-break: clone;
}
.diff .gone ins { background: var(--bad-soft); color: var(--bad); }
.diff .moved ins { background: var(--warn-soft); color: var(--warn); }
.diff .delta { color: var(--text-3); font-size: var(--fs-12); white-space: nowrap; }
.diff .none { color: var(--text-3); }
.diff + .ap-foot, .diff + .receipt { border-top: 0; }
.ap-meta + .ap-foot { border-top: 1px solid var(--line); }
.ap-meta { padding: var(--s-5) var(--s-6); font-size: var(--fs-13); line-height: var(--lh-13); }
.kv { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: var(--s-3) var(--s-6); }
.kv dt { color: var(--text-2); }
.kv dd { overflow-wrap: anywhere; }
.ap-foot {
  display: flex; align-items: center; gap: var(--s-4); padding: var(--s-5) var(--s-6); border-top: 1px solid var(--line);
  background: var(--surface-sub);
}
.ap-foot .say { flex: 1; font-size: var(--fs-12); line-height: var(--lh-12); color: var(--text-2); }
.ap-foot .btn { min-width: 92px; }
.ap-foot form { display: contents; }
.ap-conf {
  padding: var(--s-5) var(--s-6); border-top: 1px solid var(--bad-line); background: var(--bad-soft); font-size: var(--fs-13);
  line-height: var(--lh-13); display: flex; gap: var(--s-4); align-items: center; flex-wrap: wrap;
}
.ap-conf .btn--danger { margin-right: auto; }
.ap-conf > .grow { flex: 1 0 100%; }
.ap-conf > .grow:focus { outline: none; }
.receipt {
  display: grid; grid-template-columns: repeat(4, minmax(0, auto)); gap: var(--s-4) var(--s-8); padding: var(--s-5) var(--s-6);
  border-top: 1px dashed var(--line-strong); font-size: var(--fs-13); line-height: var(--lh-13); justify-content: start;
}
.receipt .wide { grid-column: 1 / -1; }
.receipt dt { font-size: var(--fs-12); line-height: var(--lh-12); color: var(--text-3); }
.receipt dd { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
@container (max-width: 480px) {
  .ap-conf .btn, .ap-foot .btn { flex: 1; min-height: var(--tap); }
  .ap-foot { flex-wrap: wrap; }
  .ap-foot .say { flex: 0 0 100%; }
  .ap-foot .btn { white-space: normal; line-height: var(--lh-13); text-align: center; }
  .receipt { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .diff thead { display: block; position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .diff, .diff tbody { display: block; }
  .diff tbody tr {
    display: grid; grid-template-columns: 1fr; padding: var(--s-4) var(--s-6); border-bottom: 1px solid var(--line); gap: var(--s-1);
  }
  .diff tbody th, .diff td, .diff th:first-child, .diff td:first-child, .diff tr > :last-child {
    display: block; width: auto; padding: 0; border: 0;
  }
  .diff tbody th { font-size: var(--fs-12); line-height: var(--lh-12); color: var(--text-3); }
  .diff td::before {
    content: attr(data-l); display: inline-block; width: 54px; margin-left: -54px; color: var(--text-3); font-size: var(--fs-12);
  }
  .diff tbody td.was, .diff tbody td.new { padding-left: 54px; }
  .diff ins { margin-left: 0; }
}
`;

const phone = `@media (max-width: 760px) {
  .hide-s { display: none !important; }
  .icon-btn { width: var(--tap); height: var(--tap); }
  .btn { min-height: 40px; }
  .input { min-height: var(--tap); font-size: var(--fs-16); line-height: var(--lh-16); }
  .signin { padding-top: var(--s-8); }
  .devbar { justify-content: flex-start; text-align: left; }
  .people { grid-template-columns: 1fr; }
  .pbar { padding: 0 var(--s-6); gap: var(--s-4); flex-wrap: wrap; }
  .pbar nav {
    order: 9; flex: 0 0 calc(100% + 2 * var(--s-6)); margin: 0 calc(var(--s-6) * -1); padding: 0 var(--s-4); min-height: var(--tap);
    border-top: 1px solid var(--line);
  }
}
@media print { .pbar, .devbar, .ap-foot { display: none; } }
`;

export const styleSheet = tokens + base + controls + pages + approval + phone;
