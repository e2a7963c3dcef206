/**
 * Builds the app, and the scripts and style sheets of the server's pages, into dist/web. The gateway renders the HTML and finds the hashed
 * assets in the manifest (src/identity/web/build.ts).
 */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  plugins: [react()],
  logLevel: 'warn',
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    // These browsers support light-dark(). For older ones the build would expand every colour.
    cssTarget: ['chrome125', 'firefox125', 'safari17.5'],
    // The content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        app: here('main.tsx'),
        approve: here('server-pages/approve.ts'),
        page: here('server-pages/page.ts'),
        'page-style': here('server-pages/page.css'),
        'api-reference': here('server-pages/api-reference.css'),
      },
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        // The names of a classic script are global. The function around it keeps them local.
        banner: ({ name }) => (name === 'page' ? '(() => {' : ''),
        footer: ({ name }) => (name === 'page' ? '})();' : ''),
      },
    },
  },
});
