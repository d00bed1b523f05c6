def slug(text: str, separator: str = "-") -> str:
    return separator.join(text.lower().split())
