"""Trains a small convolutional network on scikit-learn's handwritten digits and writes the files of this example.

    python train.py [--output DIRECTORY]

Writes digits.onnx (the network, ending in a softmax, for a batch of any size), images.npy (f32, 360x1x8x8: held-out images),
labels.npy (i64, 360) and probabilities.npy (f32, 360x10: what PyTorch computes for these images).
"""

import argparse
import pathlib
import warnings

import numpy
import onnx
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

HELD_OUT = 360
EPOCHS = 40
SEED = 0


class Digits(nn.Module):
    """Two blocks of convolution, batch norm, relu and max-pool, then a linear classifier."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(32)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.flatten = nn.Flatten()
        self.linear = nn.Linear(32 * 2 * 2, 10)
        self.softmax = nn.Softmax(dim=1)

    def logits(self, x):
        x = self.pool(self.relu(self.norm1(self.conv1(x))))
        x = self.pool(self.relu(self.norm2(self.conv2(x))))
        return self.linear(self.flatten(x))

    def forward(self, x):
        return self.softmax(self.logits(x))


def load():
    """The images scaled to 0..1 with one channel, and the labels, split into a training and a held-out part."""
    digits = load_digits()
    images = (digits.images / 16.0).astype(numpy.float32)[:, None]
    labels = digits.target.astype(numpy.int64)
    return train_test_split(images, labels, test_size=HELD_OUT, random_state=SEED, stratify=labels)


def train(model, images, labels):
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    loss_of = nn.CrossEntropyLoss()
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(images)).split(64):
            optimizer.zero_grad()
            loss = loss_of(model.logits(images[batch]), labels[batch])
            loss.backward()
            optimizer.step()
        schedule.step()
    model.eval()


def export(model, images, path):
    # PRESERVE and no constant folding: the exporter would otherwise merge batch norm into the convolution before it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, (images,), str(path), input_names=["images"], output_names=["probabilities"],
                          dynamic_axes={name: {0: "batch"} for name in ("images", "probabilities")},
                          opset_version=13, do_constant_folding=False, dynamo=False,
                          training=torch.onnx.TrainingMode.PRESERVE)
    exported = onnx.load(path)
    onnx.checker.check_model(exported, full_check=True)
    assert [node.op_type for node in exported.graph.node].count("BatchNormalization") == 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    output = parser.parse_args().output
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    train_images, images, train_labels, labels = load()
    model = Digits()
    train(model, torch.from_numpy(train_images), torch.from_numpy(train_labels))
    with torch.no_grad():
        probabilities = model(torch.from_numpy(images)).numpy()
    export(model, torch.from_numpy(images), output / "digits.onnx")
    numpy.save(output / "images.npy", images)
    numpy.save(output / "labels.npy", labels)
    numpy.save(output / "probabilities.npy", probabilities)
    right = int((probabilities.argmax(axis=1) == labels).sum())
    print(f"held-out accuracy: {right}/{len(labels)} = {right / len(labels):.4f}")


if __name__ == "__main__":
    main()
