"""Writes the images that the network of ../digits was trained on: scikit-learn's digits without the 360 held out there.

    python data.py

Writes images.npy (ui8, 1437x1x8x8, 0 to 16) and labels.npy (ui8, 1437).
"""
import pathlib

import numpy
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

digits = load_digits()
images, _, labels, _ = train_test_split(digits.images.astype(numpy.uint8)[:, None], digits.target.astype(numpy.uint8),
                                        test_size=360, random_state=0, stratify=digits.target)
folder = pathlib.Path(__file__).parent
numpy.save(folder / "images.npy", images)
numpy.save(folder / "labels.npy", labels)
