"""DeepGPClassifier: labels of any kind, probabilities, words in frames, files."""

import numpy as np
import pandas as pd
import pytest

from dgpexp import DeepGPClassifier

QUICK = {"steps": 300, "inducing_points": 12, "samples": 5, "random_state": 0}


def weather(rows: int = 150) -> tuple[pd.DataFrame, list[str]]:
    """Three classes that a number and a word decide between them."""
    rng = np.random.default_rng(0)
    degrees, sky = rng.uniform(-10, 30, size=rows), rng.choice(["blue", "grey"], size=rows)
    labels = np.where(sky == "blue", "sun", np.where(degrees < 2, "snow", "rain"))
    return pd.DataFrame({"degrees": degrees, "sky": sky}), labels.tolist()


@pytest.fixture(scope="module")
def fitted() -> DeepGPClassifier:
    return DeepGPClassifier("vi", **QUICK).fit(*weather())


def test_labels_come_back_as_they_were_given_with_probabilities_in_their_order(fitted):
    frame, labels = weather()
    assert fitted.classes_.tolist() == ["rain", "snow", "sun"]
    assert fitted.score(frame, labels) > 0.9
    probabilities = fitted.predict_proba(frame)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert fitted.classes_[probabilities.argmax(axis=1)].tolist() == fitted.predict(frame).tolist()
    numbers = np.searchsorted(fitted.classes_, labels)
    expected = fitted.predict_log_proba(frame)[np.arange(len(frame)), numbers]
    np.testing.assert_allclose(fitted.pred_dist(frame).log_density(numbers), expected, atol=1e-6)


def test_a_row_does_not_depend_on_the_rows_beside_it(fitted):
    frame = weather()[0]
    np.testing.assert_allclose(fitted.predict_proba(frame[::-1])[::-1], fitted.predict_proba(frame), atol=1e-9)


def test_a_saved_model_predicts_the_same_labels(fitted, tmp_path):
    fitted.save(tmp_path / "weather.npz")
    loaded, frame = DeepGPClassifier.load(tmp_path / "weather.npz"), weather()[0]
    assert loaded.predict(frame).tolist() == fitted.predict(frame).tolist()
    np.testing.assert_array_equal(loaded.predict_proba(frame), fitted.predict_proba(frame))


def test_one_class_is_nothing_to_learn():
    with pytest.raises(ValueError, match="y has one class only"):
        DeepGPClassifier(**QUICK).fit(np.arange(10.0)[:, None], ["a"] * 10)
