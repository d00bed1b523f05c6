import t from 'tap';
import { commands } from '../../plugins/operations/apply/cli/table.ts';
import { KINDS } from '../../plugins/operations/apply/cli/project/kinds.ts';
import handler from '../../plugins/events/handlers/schema/put-handler.schema.json' with { type: 'json' };
import schedule from '../../plugins/events/schedules/schema/put-schedule.schema.json' with { type: 'json' };

/** A member that a file left out would be lost in an export, and removed by the next update of the object. */
for (const [folder, schema] of Object.entries({ handlers: handler, schedules: schedule }))
  t.test(`the files of ${folder} keep each member that the server takes`, async (t) => {
    const kind = KINDS.find((one) => one.folder === folder)!;
    const members = Object.keys(schema.properties);
    const view = Object.fromEntries(members.map((name) => [name, name === 'paused' ? true : { [name]: 1 }]));
    const body = await kind.toBody(view, undefined as never);
    t.same(
      members.filter((name) => !Object.hasOwn(body, name)),
      [],
    );
  });

t.test('svc schema knows every kind', async (t) => {
  const schema = commands.find(({ name }) => name === 'schema');
  t.same(schema?.args?.[0]?.choices?.toSorted(), KINDS.map(({ folder }) => folder).toSorted());
});
