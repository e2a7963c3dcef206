// The minimal handler for comparison: node:http and one pipelined driver connection, without tokens, roles, policies or audit records.
import http from 'node:http';
import pg from 'pg';

const text = (value) => value;
const numbers = new Set([20, 21, 23, 700, 701, 1700]);
const types = { getTypeParser: (oid) => (numbers.has(oid) ? Number : oid === 16 ? (value) => value === 't' : text) };
const client = new pg.Client({ connectionString: process.env.DATABASE_URL, pipeline: true, types });
await client.connect();
const COLUMNS =
  'e.employee_id, e.first_name, e.last_name, e.email, e.department, e.job_title, e.location, e.manager_id, e.manager_name, ' +
  'e.hire_date, e.active, e.created_at, e.updated_at, p.salary, c.phone, c.home_address, i.ssn';
const FROM =
  'hr.employees e join hr.pay p using (employee_id) join hr.contact c using (employee_id) join hr.identity i using (employee_id)';
const one = { name: 'one', text: `select ${COLUMNS} from ${FROM} where e.employee_id = $1 and e.active` };
const page = {
  name: 'page',
  text: `select ${COLUMNS} from ${FROM} where e.active and (e.last_name, e.first_name, e.employee_id) > ($1, $2, $3)
    order by e.last_name, e.first_name, e.employee_id limit 51`,
};
const server = http.createServer(async (req, res) => {
  const [, kind, a = '', b = '', c = ''] = decodeURIComponent(req.url).split('/');
  const { rows } =
    kind === 'one'
      ? await client.query({ ...one, values: [a] })
      : kind === 'page'
        ? await client.query({ ...page, values: [a, b, c || '00000000-0000-0000-0000-000000000000'] })
        : { rows: [] };
  const body = JSON.stringify(kind === 'one' ? rows[0] : rows);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  res.end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port }));
