import t from 'tap';
import { initials } from './initials.ts';

t.equal(initials('Ana Kovač'), 'AK');
t.equal(initials('carla-van-den-berg'), 'CB');
t.equal(initials('dev'), 'DE');
t.equal(initials('\u202e'), '?', 'what is no letter stands for nobody');
