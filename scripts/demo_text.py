#!/usr/bin/python3
"""Images for the text-orientation classifier of the demo, and its answer in words."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

HEIGHT, WIDTH = 48, 192  # the size that the classifier was trained for
CLASSES = ("upright", "turned")


def line_of_text(text):
    """The text in black on white, as a HEIGHT x WIDTH image of grey levels from 0 to 255."""
    figure = plt.figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100)
    figure.text(0.5, 0.5, text, size=17, ha="center", va="center")
    figure.canvas.draw()
    grey = np.asarray(figure.canvas.buffer_rgba())[..., 0].copy()
    plt.close(figure)
    return grey


def make(directory):
    image = line_of_text("Fused kernels")
    for name, pixels in (("upright", image), ("turned", image[::-1, ::-1])):
        plt.imsave(f"{directory}/{name}.png", pixels, cmap="gray", vmin=0, vmax=255)
        planes = np.broadcast_to(pixels.astype(np.float32) / 255, (1, 3, HEIGHT, WIDTH))
        np.save(f"{directory}/{name}.npy", (planes - 0.5) / 0.5)


def answer(path, wanted):
    probabilities = np.load(path).reshape(-1)
    found = CLASSES[int(probabilities.argmax())]
    print(f"    the {wanted} image is {found}, says the classifier ({100 * probabilities.max():.1f} % sure)")
    return found == wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    action = actions.add_parser("make", help="writes a line of text, upright.npy, and the same by 180 degrees, turned.npy (and .png to look at)")
    action.add_argument("dir")
    action = actions.add_parser("answer", help="says what the classifier's result means; exits with 1 if that is not what is wanted")
    action.add_argument("npy")
    action.add_argument("wanted", choices=CLASSES)
    arguments = parser.parse_args()
    if arguments.action == "make":
        make(arguments.dir)
    elif not answer(arguments.npy, arguments.wanted):
        sys.exit(1)


if __name__ == "__main__":
    main()
