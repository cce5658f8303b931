"""Writes an ONNX model with operators that graphc does not know: unsupported_model.py FILE

The bytes are protobuf's: a field's number and kind, its length, its content (onnx.proto names the numbers).
"""

import sys


def varint(number):
    rest, last = number >> 7, number & 127
    return bytes([last | 128]) + varint(rest) if rest else bytes([last])


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def node(operator, domain=""):
    return field(1, field(1, "x") + field(2, operator + "_out") + field(4, operator) + field(7, domain))


def model(nodes):
    return field(1, 7) + field(7, nodes + field(2, "test")) + field(8, field(2, 13))


if __name__ == "__main__":
    nodes = node("StringNormalizer") + node("Fancy", "com.example") + node("StringNormalizer")
    with open(sys.argv[1], "wb") as file:
        file.write(model(nodes))
