import unittest
from slug import slug


class Unit(unittest.TestCase):
    def test_words(self):
        self.assertEqual(slug("Two  Words"), "two-words")
