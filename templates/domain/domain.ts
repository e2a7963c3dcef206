/** Declares the {{name}} domain. Each audience is a database role ({{name}}_everyone, {{name}}_own); see sql/policies.sql. */
import { defineDomain, defineRoles } from 'tamshai';

export const {{name}}Roles = defineRoles({
  '{{name}}-read': { means: 'reads every item' },
  '{{name}}-write': { means: 'renames items', includes: ['{{name}}-read'] },
});

export const domain = defineDomain({
  name: '{{name}}',
  title: '{{title}}',
  engine: 1,
  home: import.meta.url,
  port: {{port}},
  store: 'sql',
  roles: {{name}}Roles,
  audiences: {
    everyone: { roles: ['{{name}}-read', '{{name}}-write', 'executive'], sees: 'every item' },
    own: { roles: ['employee'], sees: 'their own items', linked: true },
  },
});
