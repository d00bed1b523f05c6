import { DataTypes, type Sequelize, UniqueConstraintError } from 'sequelize';
import t, { type Test } from 'tap';
import { type Engine, onEngines, openFresh } from './engines.testsuite.ts';

function define(sequelize: Sequelize) {
  return sequelize.define(
    'note',
    {
      id: { type: DataTypes.STRING(64), primaryKey: true },
      title: { type: DataTypes.STRING(200), allowNull: false },
      size: DataTypes.BIGINT,
      done: { type: DataTypes.BOOLEAN, defaultValue: false },
      body: DataTypes.BLOB('long'),
      at: DataTypes.DATE(3),
    },
    { tableName: 'test_notes', timestamps: false },
  );
}

async function models(t: Test, engine: Engine): Promise<void> {
  const { database } = await openFresh(t, engine);
  const { sequelize } = database;
  const Note = define(sequelize);
  await sequelize.sync();
  const at = new Date('2026-03-29T01:30:00.125Z');

  await t.test('create, find, update, upsert, destroy', async (t) => {
    await Note.create({ id: 'a', title: "it's", size: 5, done: true, body: Buffer.from([0, 255]), at });
    const found = await Note.findByPk('a');
    t.match(found?.get(), { id: 'a', title: "it's", size: 5, at });
    t.ok(found?.get('done'));
    t.strictSame(found?.get('body'), Buffer.from([0, 255]));
    t.strictSame(await Note.update({ title: 'new' }, { where: { id: 'a' } }), [1]);
    await Note.upsert({ id: 'a', title: 'newer' });
    await Note.bulkCreate([
      { id: 'b', title: 'x' },
      { id: 'c', title: 'x' },
    ]);
    t.equal(await Note.count({ where: { title: 'x' } }), 2);
    t.equal(await Note.destroy({ where: { title: 'x' } }), 2);
    t.strictSame(
      (await Note.findAll()).map((note) => note.get('title')),
      ['newer'],
    );
    await t.rejects(Note.create({ id: 'a', title: 'again' }), UniqueConstraintError);
  });

  await t.test('rows of the fast path and of models do not disturb each other', async (t) => {
    const sql = 'SELECT id, at FROM test_notes WHERE id = ?';
    for (let round = 0; round < 3; round++) {
      const [row] = await database.read(sql, ['a']);
      t.type(row!.at, 'string', 'plain');
      const [cast] = await sequelize.query(sql, { replacements: ['a'] });
      if (engine.name === 'MySQL') t.strictSame((cast[0] as { at: unknown }).at, at, 'cast');
      t.strictSame((await Note.findByPk('a'))?.get('at'), at, 'cast');
    }
  });

  await t.test('transactions', async (t) => {
    await sequelize.transaction(async (transaction) => {
      await Note.create({ id: 'in', title: 'in' }, { transaction });
      t.strictSame(await database.read("SELECT id FROM test_notes WHERE id = 'in'"), [], 'not seen from outside');
      t.ok(await Note.findByPk('in', { transaction }), 'seen from inside');
    });
    t.ok(await Note.findByPk('in'));
    const failing = sequelize.transaction(async (transaction) => {
      await Note.create({ id: 'out', title: 'out' }, { transaction });
      throw new Error('no');
    });
    await t.rejects(failing, { message: 'no' });
    t.equal(await Note.findByPk('out'), null);
  });

  await t.test('transactions of both kinds take turns', async (t) => {
    await database.write("UPDATE test_notes SET size = 0 WHERE id = 'a'");
    const plain = () => database.transaction((tx) => tx.write("UPDATE test_notes SET size = size + 1 WHERE id = 'a'"));
    const modelled = () =>
      sequelize.transaction((transaction) => Note.increment('size', { where: { id: 'a' }, transaction }));
    await Promise.all(Array.from({ length: 40 }, (_, i): Promise<unknown> => (i % 2 ? plain() : modelled())));
    t.strictSame(await database.read("SELECT size FROM test_notes WHERE id = 'a'"), [{ size: 40 }]);
  });
}

await t.test('Sequelize over the same database', (t) => onEngines(t, models));
