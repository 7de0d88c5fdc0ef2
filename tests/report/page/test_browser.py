"""The page in a real browser: it sorts, filters, leads to runs, fits a phone, and has nothing to complain about."""

import itertools

import pytest

from tests.browser import DESKTOP, PHONE, eventually, look

pytestmark = pytest.mark.browser


def texts(driver, selector):
    script = "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent).map(e => e.innerText)"
    return driver.execute_script(script, selector)


def test_sorting_by_a_click_and_by_the_keyboard(driver, built):
    look(driver, built)
    header = driver.find_element("css selector", "#numbers-table th[data-column='6']")
    button = header.find_element("tag name", "button")
    values = "return [...document.querySelectorAll('#numbers-table tbody tr')].map(r => r.cells[6].dataset.v)"
    driver.execute_script("arguments[0].click()", button)
    ascending = [float(v) for v in driver.execute_script(values) if v != ""]
    assert header.get_attribute("aria-sort") == "ascending" and ascending == sorted(ascending) and len(ascending) > 30
    assert driver.execute_script(values)[-1] == "", "cells without a number stay at the end"
    button.send_keys("\ue007")  # Enter
    eventually(lambda: header.get_attribute("aria-sort") == "descending")
    descending = [float(v) for v in driver.execute_script(values) if v != ""]
    assert descending == ascending[::-1]


def test_filtering_by_words_and_by_choice(driver, built):
    look(driver, built)
    form = driver.find_element("css selector", "form[data-for='#numbers-table tbody tr']")
    form.find_element("name", "words").send_keys("boston aepmcm")
    eventually(lambda: set(texts(driver, "#numbers-table tbody th")) == {"boston"})
    form.find_element("xpath", ".//select[@name='verdict']/option[text()='agree']").click()
    eventually(lambda: set(texts(driver, "#numbers-table tbody .chip")) == {"agree"})
    assert form.find_element("tag name", "output").text == "4 of 234", "depths 2 and 3, RMSE and log-likelihood"


def test_a_number_leads_to_its_runs_and_a_run_to_its_configuration(driver, built):
    look(driver, built)
    link = driver.find_element("css selector", "a[href='#cell-boston-vi-2']")
    driver.execute_script("arguments[0].click()", link)
    details = driver.find_element("css selector", "#cell-boston-vi-2")
    eventually(lambda: details.get_attribute("open"))
    assert len(details.find_elements("css selector", "tbody tr")) == 20
    assert "dgpexp run uci --dataset boston --method vi --layers 2 --splits 0" in details.text
    driver.execute_script("arguments[0].click()", details.find_element("css selector", "a[href^='#config-']"))
    eventually(lambda: driver.find_elements("css selector", ".configs details[open]"))
    assert '"inducing_points": 100' in driver.find_element("css selector", ".configs details[open]").text


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_does_not_complain(driver, built, size, scheme, tmp_path):
    driver.get_log("browser")
    look(driver, built, size, scheme)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= size[0], "no sideways scrolling"
    colours = driver.execute_script("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
    ink, paper = (sum(map(int, c[4:-1].split(", "))) for c in colours)
    assert abs(ink - paper) > 500 and (ink > paper) == (scheme == "dark")
    marker = driver.find_element("css selector", "#figure-5-1-1 svg text")
    fill = driver.execute_script("return getComputedStyle(arguments[0]).fill", marker)
    assert (sum(map(int, fill[4:-1].split(", "))) > 380) == (scheme == "dark"), "figures follow the scheme"
    for anchor in ("", "#uci", "#t-5-1-2", "#numbers"):
        look(driver, built, size, scheme, anchor)
        name = f"{size[0]}-{scheme}{anchor.replace('#', '-')}.png"
        assert driver.save_screenshot(str(tmp_path / name))
    assert [e for e in driver.get_log("browser") if e["level"] in ("WARNING", "SEVERE")] == []


def test_tables_fit_a_page_of_1280_px(driver, built):
    look(driver, built, (1280, 900))
    wide = """return [...document.querySelectorAll('.scroll[aria-labelledby]')]
        .filter(e => e.offsetParent && e.scrollWidth > e.clientWidth + 1).map(e => e.getAttribute('aria-labelledby'))"""
    assert driver.execute_script(wide) == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_anchors_land_just_below_the_bar_of_sections(driver, built, size):
    look(driver, built, size)
    driver.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
    script = """
        document.querySelector(`nav a[href="#${arguments[0]}"]`).click();
        return document.getElementById(arguments[0]).getBoundingClientRect().top
             - document.querySelector("nav").getBoundingClientRect().bottom"""
    for anchor in ("verdicts", "statistics", "big", "numbers", "uci"):  # "runs" may lie too near to the end
        assert 0 <= driver.execute_script(script, anchor) <= 24, anchor


def test_a_wide_table_shows_that_there_is_more_until_it_is_scrolled_there(driver, built):
    look(driver, built, PHONE)
    frame = driver.find_element("css selector", "section[aria-labelledby='t-5-1-1'] .scroll")
    fades = "return getComputedStyle(arguments[0]).maskImage !== 'none'"
    eventually(lambda: driver.execute_script(fades, frame))
    driver.execute_script("arguments[0].scrollLeft = 1e6", frame)
    eventually(lambda: not driver.execute_script(fades, frame))


def test_names_for_those_who_cannot_see(driver, built):
    look(driver, built)
    count = driver.execute_script
    assert count("return document.querySelectorAll('th:not([scope])').length") == 0
    assert count("return [...document.querySelectorAll('main svg[role=img]')].every(s => s.ariaLabel)")
    assert count("return [...document.querySelectorAll('img')].every(i => i.alt)")
    assert count("return [...document.querySelectorAll('input, select')].every(f => f.labels.length === 1)")
    headings = count("return [...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))")
    assert headings.count(1) == 1 and all(b - a <= 1 for a, b in itertools.pairwise(headings))
