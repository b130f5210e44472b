#!/usr/bin/env python3
"""Linear baselines of text classification with scikit-learn: linear support vector machines on
TF-IDF of words and pairs of words, and multinomial naive Bayes on counts of words.

    python benchmarks/tasks/classification/linear.py TRAIN TEST [--several] [--name NAME]

TRAIN and TEST hold lines `labels TAB text`; with --several, labels with spaces between them, one
decision each. Prints accuracy, or micro F1 with --several, as one JSON object; with --name it is
also written to benchmarks/results/linear_NAME.json. Needs scikit-learn, which is not part of Weft's
setup.
"""

import argparse
import json
import pathlib
import sys

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import machine, read_text, result_file, write_whole  # noqa: E402


def examples(path, several):
    """(texts, labels of each)"""
    rows = [line.split("\t", 1) for line in read_text(path).splitlines()]
    return [text for _, text in rows], [labels.split() if several else labels for labels, _ in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--several", action="store_true")
    parser.add_argument("--name")
    options = parser.parse_args()
    texts, labels = examples(options.train, options.several)
    test_texts, test_labels = examples(options.test, options.several)
    machines, bayes = LinearSVC(), MultinomialNB(alpha=0.1)
    if options.several:
        names = MultiLabelBinarizer().fit(labels)
        labels, test_labels = names.transform(labels), names.transform(test_labels)
        machines, bayes = OneVsRestClassifier(machines), OneVsRestClassifier(bayes)
    models = {
        "linear SVM on TF-IDF": make_pipeline(
            TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2), machines),
        "naive Bayes": make_pipeline(CountVectorizer(min_df=2), bayes)}
    scores = {}
    for name, model in models.items():
        found = model.fit(texts, labels).predict(test_texts)
        score = (f1_score(test_labels, found, average="micro") if options.several
                 else accuracy_score(test_labels, found))
        scores[name] = round(score, 4)
    metric = "micro F1" if options.several else "accuracy"
    text = json.dumps({"metric": metric, "train": len(texts), "test": len(test_texts)} | scores |
                      machine(), indent=1)
    if options.name:
        write_whole(result_file(f"linear_{options.name}"), text + "\n")
    print(text)


if __name__ == "__main__":
    main()
