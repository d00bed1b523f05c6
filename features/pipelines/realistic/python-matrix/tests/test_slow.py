import os
import unittest
from slug import slug


class Slow(unittest.TestCase):
    def test_separator(self):
        self.assertEqual(slug("a b", os.environ["SEPARATOR"]), f"a{os.environ['SEPARATOR']}b")
