/** Design tokens of the pages: colours, sizes and times. The contrast of text is AA (WCAG) on every surface, that of control edges 3:1. */
export const tokens = `:root {
  color-scheme: light dark;
  --bg: light-dark(#f8f7f4, #111110); --surface: light-dark(#ffffff, #181816); --surface-sub: light-dark(#f3f1ec, #21211e);
  --surface-press: light-dark(#e9e6df, #2b2a27); --line: light-dark(#e5e1d9, #2d2c29); --line-strong: light-dark(#cfc9bd, #45433e);
  --line-control: light-dark(#8d877b, #736e65);
  --text: light-dark(#1b1a17, #eceae4); --text-2: light-dark(#514d46, #b8b4aa); --text-3: light-dark(#696459, #9d988d);
  --accent: light-dark(#0d6470, #5bbcc8); --accent-hover: light-dark(#0a515b, #7fcfd9); --accent-soft: light-dark(#e2eff0, #12323a);
  --accent-line: light-dark(#a8cdd1, #24545e); --on-accent: light-dark(#ffffff, #05242a);
  --ok: light-dark(#1d6a40, #74c998); --ok-soft: light-dark(#e3f1e8, #153022);
  --warn: light-dark(#835000, #e2ac50); --warn-soft: light-dark(#faefd9, #352811); --warn-line: light-dark(#e3c78f, #5d4820);
  --bad: light-dark(#a52c22, #f29084); --bad-hover: light-dark(#8a2219, #f7aca3); --bad-soft: light-dark(#fbe8e5, #3b1b17);
  --bad-line: light-dark(#e9b4ad, #6b312a); --on-bad: light-dark(#ffffff, #2a0805);
  --font-ui: "Inter", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --font-mono: ui-monospace, "SF Mono", "JetBrains Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --fs-11: 0.6875rem; --lh-11: 1rem; --fs-12: 0.75rem; --lh-12: 1.125rem; --fs-13: 0.8125rem; --lh-13: 1.25rem;
  --fs-14: 0.875rem; --lh-14: 1.375rem; --fs-16: 1rem; --lh-16: 1.5rem; --fs-20: 1.25rem; --lh-20: 1.75rem;
  --fs-28: 1.75rem; --lh-28: 2.125rem; --fw-normal: 400; --fw-medium: 500; --fw-strong: 600;
  --s-1: 0.125rem; --s-2: 0.25rem; --s-3: 0.375rem; --s-4: 0.5rem; --s-5: 0.75rem; --s-6: 1rem; --s-7: 1.25rem; --s-8: 1.5rem;
  --s-9: 2rem; --s-10: 3rem; --s-11: 4rem;
  --r-1: 4px; --r-2: 6px; --r-3: 10px; --r-full: 999px; --tap: 44px;
  --t-fast: 110ms; --t-mid: 180ms; --ease: cubic-bezier(0.2, 0.7, 0.2, 1);
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
@media (prefers-reduced-motion: reduce) { :root { --t-fast: 0ms; --t-mid: 0ms; } }
@media (prefers-contrast: more) {
  :root { --line: var(--line-control); --line-strong: var(--text-2); --text-2: var(--text); --text-3: light-dark(#3c3932, #d4d0c7); }
}
`;
