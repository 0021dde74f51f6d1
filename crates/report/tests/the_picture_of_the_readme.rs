//! The picture in the README is what the terminal shows of the result beside it. `docs/pictures/make.sh` makes
//! both; with `UPDATE_PICTURES` set, this writes the picture.

use pessimum_report::document::Analysis;
use pessimum_report::{picture_style, render_analysis, terminal_svg};
use std::path::Path;

/// What is told to those who do not see it.
const TITLE: &str = "pessimum finds that this quicksort is quadratic, with the array that shows it";

#[test]
fn the_picture_of_the_readme_is_what_a_terminal_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    let result = std::fs::read(folder.join("quicksort.json")).expect("the result is there");
    let analysis: Analysis = serde_json::from_slice(&result).expect("it is a result");
    let text = render_analysis(&analysis, &picture_style(100));
    // What to do next is of no use in a picture.
    let answer = text.split("\n\u{1b}[1mNext").next().unwrap_or(&text);
    assert!(answer.len() < text.len(), "{text}");
    let prompt = "$ pessimum analyze quicksort.wasm --call 'sort(&i32[n], n)' --sizes 5,8,10,20,50,100,200,300";
    let picture = terminal_svg(TITLE, &format!("{prompt}\n\n{answer}"));
    let place = folder.join("quicksort.svg");
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        std::fs::write(&place, &picture).expect("the folder can be written");
    }
    let committed = std::fs::read_to_string(&place).unwrap_or_default();
    assert!(committed == picture, "run docs/pictures/make.sh and commit docs/pictures");
}
